/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.annotation.Annotation;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CachePutOperation;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Finds the type of the values that a method with one of Spring's annotations caches, and
 * declares it for the cache, as annotations of ours do.
 */
final class SpringTypes {

	private final CacheDefinitions definitions;

	private final CacheAttributes attributes;

	private final Map<Place, SpringValue> known = new ConcurrentHashMap<>();

	SpringTypes(CacheDefinitions definitions, CacheAttributes attributes) {
		this.definitions = definitions;
		this.attributes = attributes;
	}

	/**
	 * Returns whether a method says that it returns its value later.
	 */
	static boolean isAsynchronous(Method method) {
		return isAsynchronous(method.getReturnType()) || KotlinDetector.isSuspendingFunction(method);
	}

	/**
	 * Returns whether a result is one whose value comes later, whatever the method says.
	 */
	static boolean isLater(Object result) {
		return isAsynchronous(result.getClass());
	}

	private static boolean isAsynchronous(Class<?> type) {
		return CompletableFuture.class.isAssignableFrom(type) || adapter(type) != null;
	}

	private static @Nullable ReactiveAdapter adapter(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
	}

	static GuardedMethod place(CacheOperation operation, Method method, Class<?> targetClass) {
		Class<? extends Annotation> annotation = CacheEvict.class;
		if (operation instanceof CacheableOperation) {
			annotation = Cacheable.class;
		}
		else if (operation instanceof CachePutOperation) {
			annotation = CachePut.class;
		}
		return new GuardedMethod(method, targetClass, annotation);
	}

	/**
	 * Returns what a method gives a cache.
	 * @param place the method as it is called
	 * @param seenAs the class by which callers know the bean, such as a proxy with the
	 * interface of a repository
	 * @throws io.ge.redis.core.invocation.GuardConfigurationException if values cannot be
	 * read back, or the cache holds others
	 */
	SpringValue value(String cache, GuardedMethod place, Class<?> seenAs) {
		Place asked = new Place(cache, place.method(), place.targetClass(), seenAs);
		SpringValue value = this.known.get(asked);
		if (value == null) {
			value = find(cache, place, seenAs);
			this.known.put(asked, value);
		}
		return value;
	}

	private SpringValue find(String cache, GuardedMethod place, Class<?> seenAs) {
		boolean asynchronous = isAsynchronous(place.method());
		Type returned = returnType(place, seenAs);
		Type inner = (returned != null) ? promised(returned) : Object.class;
		boolean optional = ResolvableType.forType(inner).resolve() == Optional.class;
		Type type = optional ? ResolvableType.forType(inner).getGeneric(0).getType() : inner;
		if (type == void.class || type == Void.class) {
			throw place.problem("the method returns nothing that could be cached.",
					"Let it return the value, or use @CacheEvict if it only changes it.");
		}
		CacheType configured = isOpen(type) ? this.definitions.type(cache) : null;
		if (configured != null) {
			return new SpringValue(configured, optional && asynchronous);
		}
		if (returned == null) {
			throw place.problem(
					"its return type " + place.method().getGenericReturnType().getTypeName()
							+ " does not say what the values of cache '" + cache + "' are.",
					"Declare the method with the type, such as by overriding it in the interface of the repository,"
							+ " or set ge.redis.cache.caches." + cache + ".type to it.");
		}
		Type boxed = (type instanceof Class<?> raw) ? ClassUtils.resolvePrimitiveIfNecessary(raw) : type;
		return new SpringValue(this.attributes.type(place, cache, boxed), optional && asynchronous);
	}

	private static boolean isOpen(Type type) {
		return type == Object.class || isOpenWildcard(type);
	}

	private static boolean isOpenWildcard(Type type) {
		return type instanceof WildcardType wildcard && wildcard.getUpperBounds()[0] == Object.class;
	}

	// On the bean's class first, where it may be more special than on an interface
	private static @Nullable Type returnType(GuardedMethod place, Class<?> seenAs) {
		Method method = place.method();
		List<@Nullable Type> all = new ArrayList<>();
		all.add(resolved(AopUtils.getMostSpecificMethod(method, place.targetClass()), place.targetClass()));
		all.add(resolved(method, place.targetClass()));
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(seenAs)) {
			if (method.getDeclaringClass().isAssignableFrom(type)) {
				all.add(resolved(method, type));
			}
		}
		return all.stream().filter(Objects::nonNull).findFirst().orElse(null);
	}

	// Nothing if a type variable is left, although it may have a bound: values are more
	// special than that
	private static @Nullable Type resolved(Method method, Class<?> seenAs) {
		Type declared = declared(method);
		if (hasVariable(declared, bindings(seenAs, new HashMap<>()))) {
			return null;
		}
		return GenericTypeResolver.resolveType(declared, seenAs);
	}

	private static Type declared(Method method) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			Type[] parameters = method.getGenericParameterTypes();
			ResolvableType continuation = ResolvableType.forType(parameters[parameters.length - 1]);
			if (continuation.getGeneric(0).getType() instanceof WildcardType result
					&& result.getLowerBounds().length > 0) {
				return result.getLowerBounds()[0];
			}
		}
		return method.getGenericReturnType();
	}

	private static Map<TypeVariable<?>, Type> bindings(@Nullable Class<?> type, Map<TypeVariable<?>, Type> found) {
		if (type != null && type != Object.class) {
			bind(type.getGenericSuperclass(), found);
			for (Type implemented : type.getGenericInterfaces()) {
				bind(implemented, found);
			}
			bindings(type.getSuperclass(), found);
			for (Class<?> implemented : type.getInterfaces()) {
				bindings(implemented, found);
			}
		}
		return found;
	}

	private static void bind(@Nullable Type parent, Map<TypeVariable<?>, Type> found) {
		if (parent instanceof ParameterizedType parameterized && parameterized.getRawType() instanceof Class<?> raw) {
			TypeVariable<?>[] variables = raw.getTypeParameters();
			for (int i = 0; i < variables.length; i++) {
				found.putIfAbsent(variables[i], parameterized.getActualTypeArguments()[i]);
			}
		}
	}

	private static boolean hasVariable(Type type, Map<TypeVariable<?>, Type> bindings) {
		if (type instanceof ParameterizedType parameterized) {
			return Arrays.stream(parameterized.getActualTypeArguments())
				.anyMatch((argument) -> hasVariable(argument, bindings));
		}
		if (type instanceof GenericArrayType array) {
			return hasVariable(array.getGenericComponentType(), bindings);
		}
		if (type instanceof WildcardType wildcard) {
			return Arrays.stream(wildcard.getUpperBounds()).anyMatch((bound) -> hasVariable(bound, bindings));
		}
		if (type instanceof TypeVariable<?> variable) {
			Type bound = bindings.get(variable);
			return bound == null || hasVariable(bound, bindings);
		}
		return false;
	}

	// What Spring takes out of a future or a publisher: of one with several values a list
	private static Type promised(Type returned) {
		ResolvableType type = ResolvableType.forType(returned);
		Class<?> raw = type.resolve(Object.class);
		if (!isAsynchronous(raw)) {
			return returned;
		}
		ReactiveAdapter adapter = adapter(raw);
		if (adapter != null && adapter.isNoValue()) {
			return Void.class;
		}
		ResolvableType content = CompletableFuture.class.isAssignableFrom(raw)
				? type.as(CompletableFuture.class).getGeneric(0) : type.getGeneric(0);
		boolean several = adapter != null && adapter.isMultiValue();
		return several ? ResolvableType.forClassWithGenerics(List.class, content).getType() : content.getType();
	}

	private record Place(String cache, Method method, Class<?> targetClass, Class<?> seenAs) {
	}

}
