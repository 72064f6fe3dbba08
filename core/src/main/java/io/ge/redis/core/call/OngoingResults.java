// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The one rule about results whose work continues after they were returned: futures,
 * publishers, jobs and flows of Kotlin, and WebFlux's models of views. A guard follows
 * one that is the result itself, and none that is inside of another result. A type that
 * shows one inside is refused at startup, and a value of a type that does not, when it is
 * returned.
 */
public final class OngoingResults {

	// By name, since the libraries that have them may not be there
	private static final Set<String> NAMES = Set.of("org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow",
			"kotlinx.coroutines.Job", "org.springframework.web.reactive.result.view.Rendering",
			"org.springframework.web.reactive.result.view.FragmentsRendering");

	private static final Set<String> ENTITY = Set.of("org.springframework.http.HttpEntity");

	private static final ClassValue<Boolean> ONGOING = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)
					|| Flow.Publisher.class.isAssignableFrom(type) || isNamed(type, NAMES)
					|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		}

	};

	/** The getter of the body of a response; empty for other classes. */
	private static final ClassValue<Optional<Method>> BODY = new ClassValue<>() {

		@Override
		protected Optional<Method> computeValue(Class<?> type) {
			return Optional.ofNullable(isNamed(type, ENTITY) ? ReflectionUtils.findMethod(type, "getBody") : null);
		}

	};

	private OngoingResults() {
	}

	/**
	 * Returns whether the work of a result of a type continues after it was returned.
	 */
	public static boolean isOngoing(Class<?> type) {
		return ONGOING.get(type);
	}

	/**
	 * Finds ongoing work inside of a result, at any depth.
	 * @return the class, or {@code null} as far as the type shows
	 */
	public static @Nullable Class<?> inside(ResolvableType result) {
		return inside(result, OngoingResults::isOngoing, new HashSet<>());
	}

	/**
	 * Finds a class that is a type or inside of it, such as the body of an entity.
	 */
	public static @Nullable Class<?> find(ResolvableType type, Predicate<Class<?>> wanted) {
		return wanted.test(type.toClass()) ? type.toClass() : inside(type, wanted, new HashSet<>());
	}

	private static @Nullable Class<?> inside(ResolvableType type, Predicate<Class<?>> wanted, Set<Type> seen) {
		ResolvableType[] parts = type.isArray() ? new ResolvableType[] { type.getComponentType() } : type.getGenerics();
		for (ResolvableType part : parts) {
			// The bound of a type variable may mention the variable
			Class<?> found = wanted.test(part.toClass()) ? part.toClass()
					: seen.add(part.getType()) ? inside(part, wanted, seen) : null;
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Returns a result whose work is over.
	 * @throws OngoingResultException if its work continues, or the work of the content of
	 * an {@link Optional} or a response
	 */
	public static @Nullable Object requireOver(@Nullable Object result) {
		Class<?> ongoing = find(result);
		if (ongoing != null) {
			throw new OngoingResultException(ongoing);
		}
		return result;
	}

	/**
	 * Finds ongoing work in a value.
	 * @return the class of the value; of the content of an {@link Optional} or a
	 * response; or of the first element of an array or a list; {@code null} if no work
	 * continues
	 */
	public static @Nullable Class<?> find(@Nullable Object value) {
		if (value == null) {
			return null;
		}
		Class<?> type = value.getClass();
		if (isOngoing(type)) {
			return type;
		}
		if (value instanceof Optional<?> optional) {
			return find(optional.orElse(null));
		}
		if (value instanceof Object[] array) {
			return (array.length > 0) ? find(array[0]) : null;
		}
		// Other lists may load their elements when they are read
		if (value instanceof List<?> list && type.getName().startsWith("java.util.")) {
			return list.isEmpty() ? null : find(list.get(0));
		}
		Method body = BODY.get(type).orElse(null);
		return (body != null) ? find(ReflectionUtils.invokeMethod(body, value)) : null;
	}

	/**
	 * Returns whether a type has one of some names, or a supertype does.
	 */
	public static boolean isNamed(Class<?> type, Set<String> names) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (names.contains(each.getName())) {
				return true;
			}
		}
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((implemented) -> names.contains(implemented.getName()));
	}

}
