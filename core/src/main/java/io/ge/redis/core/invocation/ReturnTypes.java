// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.call.OngoingResults;
import io.ge.redis.core.call.ResultForm;

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

	private static final Set<String> LATE_RESULTS = Set.of(
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String PACKAGES = "\\b(\\w+\\.)+";

	private static final String HANDLER = "org.springframework.web.bind.annotation.RequestMapping";

	private static final boolean COROUTINES = ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt",
			ReturnTypes.class.getClassLoader());

	private ReturnTypes() {
	}

	/**
	 * Returns the form of a method's result, by its type, resolved against the class of
	 * the bean.
	 * @throws GuardConfigurationException if its work continues after it has returned,
	 * and nothing shows when that ends
	 */
	public static ResultForm form(GuardedMethod method) {
		ResolvableType result = result(method);
		ResultForm form = form(method, result.toClass());
		Class<?> inside = OngoingResults.inside(result);
		if (inside != null) {
			throw method.problem(
					"the return type " + result.toString().replaceAll(PACKAGES, "")
							+ " cannot be guarded, because the work of the " + inside.getSimpleName()
							+ " inside continues after the guarding has ended.",
					"Return the plain value, or a Mono, a Flux or a CompletableFuture of plain values.");
		}
		return form;
	}

	private static ResultForm form(GuardedMethod method, Class<?> type) {
		boolean later = OngoingResults.isOngoing(type);
		if (KotlinDetector.isSuspendingFunction(method.method())) {
			if (!COROUTINES) {
				throw method.problem("a suspending function cannot be guarded without Reactor.",
						"Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor, by which Spring calls it.");
			}
			if (type.getName().equals("kotlinx.coroutines.flow.Flow")) {
				return ResultForm.SUSPENDING_FLOW;
			}
			if (!later) {
				return ResultForm.SUSPENDING;
			}
		}
		else if (!later) {
			return ResultForm.PLAIN;
		}
		else if (type == CompletableFuture.class || type == CompletionStage.class) {
			return ResultForm.FUTURE;
		}
		else {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			if (adapter != null && !OngoingResults.isNamed(type, DEFERRED)
					&& type.isAssignableFrom(adapter.getReactiveType())) {
				return ResultForm.of(adapter);
			}
		}
		throw method.problem("the return type " + type.getSimpleName() + " cannot be guarded.",
				"Return the plain value, a CompletableFuture, or a publisher that Spring knows, such as Mono or Flux.");
	}

	/**
	 * Returns the type of a method's result, resolved against the class of the bean.
	 * @return the type; for a suspending function, the type of its result
	 */
	public static ResolvableType result(GuardedMethod method) {
		return ResolvableType
			.forMethodParameter(new MethodParameter(method.method(), -1).withContainingClass(method.targetClass()));
	}

	/**
	 * Returns a type of a method with all its generics, also those that the class of the
	 * bean gives to an inherited method.
	 */
	public static Type resolved(ResolvableType type) {
		Class<?> known = type.resolve();
		ResolvableType alone = ResolvableType.forType(type.getType());
		boolean whole = !(type.getType() instanceof TypeVariable) && alone.resolve() != null
				&& !alone.hasUnresolvableGenerics();
		if (known == null || whole) {
			return type.getType();
		}
		ResolvableType[] generics = Arrays.stream(type.getGenerics())
			.map((generic) -> ResolvableType.forType(resolved(generic)))
			.toArray(ResolvableType[]::new);
		return (generics.length == 0) ? known : ResolvableType.forClassWithGenerics(known, generics).getType();
	}

	/**
	 * Returns the type of a method's result, now or later.
	 * @param method the annotated method, of a form that can be guarded
	 * @return the type; for several values, a list of them; {@code Void} for a result
	 * that only completes
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
	 * Returns the type of a method's result, as declared.
	 * @return the type; for a suspending function, the type of its result
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
	 * Refuses methods with a result that Spring MVC works on after they have returned,
	 * where the guard has to last as long as the work. A {@link Callable} is one if the
	 * method is a handler.
	 */
	public static void requireOverWhenReturned(GuardedMethod method) {
		boolean handler = MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY).isPresent(HANDLER);
		Class<?> late = OngoingResults.find(result(method),
				(type) -> OngoingResults.isNamed(type, LATE_RESULTS) || (handler && type == Callable.class));
		if (late != null) {
			throw method.problem(
					"the result " + late.getSimpleName()
							+ " is worked on after the method has returned, and so after the guarding has ended.",
					"Return a CompletableFuture or a Mono.");
		}
	}

}
