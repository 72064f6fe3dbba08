/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Which return types can be guarded.
 */
public final class ReturnTypes {

	/** Runs once for all waiting callers. */
	private static final Set<String> DEFERRED = Set.of("kotlinx.coroutines.Deferred");

	private static final Set<String> PUBLISHERS = Set.of("org.reactivestreams.Publisher",
			"kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Deferred");

	private static final Set<String> LATE_RESULTS = Set.of(
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String ENTITY = "org.springframework.http.HttpEntity";

	private static final String HANDLER = "org.springframework.web.bind.annotation.RequestMapping";

	private static final ClassLoader LOADER = ReturnTypes.class.getClassLoader();

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux", LOADER);

	private static final boolean COROUTINES = REACTOR
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", LOADER);

	private ReturnTypes() {
	}

	/**
	 * Returns in which form a method gives its result.
	 * @throws GuardConfigurationException if its work goes on after it has returned, and
	 * nothing tells when that ends
	 */
	public static ResultForm form(GuardedMethod method) {
		if (isSuspending(method)) {
			if (!COROUTINES) {
				throw method.problem("a suspending function cannot be guarded without Reactor.",
						"Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor, by which Spring calls it.");
			}
			Class<?> type = new MethodParameter(method.method(), -1).getParameterType();
			return type.getName().equals("kotlinx.coroutines.flow.Flow") ? ResultForm.SUSPENDING_FLOW
					: ResultForm.SUSPENDING;
		}
		Class<?> type = method.method().getReturnType();
		if (!isLater(type)) {
			return ResultForm.PLAIN;
		}
		if (type == CompletableFuture.class || type == CompletionStage.class) {
			return ResultForm.FUTURE;
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (!REACTOR || adapter == null || find(type, DEFERRED) != null
				|| !type.isAssignableFrom(adapter.getReactiveType())) {
			throw method.problem("the return type " + type.getSimpleName() + " cannot be guarded.",
					"Return the plain value, a CompletableFuture, or a publisher that Spring knows, such as Mono or "
							+ "Flux" + (REACTOR ? "." : " with io.projectreactor:reactor-core."));
		}
		return ResultForm.of(adapter);
	}

	/**
	 * Returns the type of what a method returns, now or later.
	 * @param method the annotated method, of a form that can be guarded
	 * @return the type, of several values that of a list of them; {@code Void} for
	 * something that only ends
	 */
	public static Type promised(GuardedMethod method) {
		Type returned = GenericTypeResolver.resolveType(declared(method.method()), method.targetClass());
		ResolvableType type = ResolvableType.forType(returned);
		ResultForm form = form(method);
		if (form == ResultForm.PLAIN || form == ResultForm.SUSPENDING) {
			return returned;
		}
		if (form == ResultForm.FUTURE) {
			return type.getGeneric(0).getType();
		}
		ReactiveAdapter adapter = form.adapter();
		if (adapter != null && adapter.isNoValue()) {
			return Void.class;
		}
		ResolvableType content = type.getGeneric(0);
		return (form.kind() == ResultForm.Kind.MULTIPLE)
				? ResolvableType.forClassWithGenerics(List.class, content).getType() : content.getType();
	}

	/**
	 * Returns the type of what a method returns, as the source says.
	 * @return the type, of a suspending function that of its result
	 */
	public static Type declared(Method method) {
		Type[] parameters = method.getGenericParameterTypes();
		if (KotlinDetector.isSuspendingFunction(method)) {
			ResolvableType continuation = ResolvableType.forType(parameters[parameters.length - 1]);
			if (continuation.getGeneric(0).getType() instanceof WildcardType result
					&& result.getLowerBounds().length > 0) {
				return result.getLowerBounds()[0];
			}
		}
		return method.getGenericReturnType();
	}

	/**
	 * Refuses methods that return something whose work goes on after they have returned.
	 */
	public static void requireSynchronous(GuardedMethod method, Class<?> type) {
		if (isLater(type)) {
			throw method.problem(
					"the return type " + type.getSimpleName()
							+ " cannot be guarded, because its work goes on after the method has returned.",
					"Return the plain value, or call the programmatic API inside the asynchronous work.");
		}
	}

	/**
	 * Refuses methods with a plain result that Spring MVC works on after they have
	 * returned, where the guard has to last as long as the work.
	 */
	public static void requireOverWhenReturned(GuardedMethod method) {
		Class<?> late = lateResult(method.method());
		if (late != null) {
			throw method.problem(
					"the result " + late.getSimpleName()
							+ " is worked on after the method has returned, and so after the guarding has ended.",
					"Return a CompletableFuture or a Mono.");
		}
	}

	/**
	 * Returns what a method returns, also as the body of an entity, that Spring MVC works
	 * on afterwards. A {@link Callable} that is no result of a handler is none.
	 */
	private static @Nullable Class<?> lateResult(Method method) {
		Class<?> type = method.getReturnType();
		if (type == Callable.class) {
			return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(HANDLER) ? type : null;
		}
		Class<?> entity = find(type, Set.of(ENTITY));
		Class<?> result = (entity != null)
				? ResolvableType.forMethodReturnType(method).as(entity).getGeneric(0).resolve(Object.class) : type;
		return (find(result, LATE_RESULTS) != null) ? result : null;
	}

	/**
	 * Returns whether values of a type come later: futures, publishers and the like.
	 */
	public static boolean isLater(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)
				|| Flow.Publisher.class.isAssignableFrom(type) || find(type, PUBLISHERS) != null
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	// By name, since the libraries that have them may not be there
	private static @Nullable Class<?> find(Class<?> type, Set<String> names) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (names.contains(each.getName())) {
				return each;
			}
		}
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.filter((implemented) -> names.contains(implemented.getName()))
			.findFirst()
			.orElse(null);
	}

	private static boolean isSuspending(GuardedMethod method) {
		return KotlinDetector.isSuspendingFunction(method.method());
	}

}
