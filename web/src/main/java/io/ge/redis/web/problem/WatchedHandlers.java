// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.cglib.core.DefaultNamingPolicy;
import org.springframework.cglib.proxy.Callback;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.cglib.proxy.Factory;
import org.springframework.cglib.proxy.MethodInterceptor;
import org.springframework.cglib.proxy.NoOp;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.NativeDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.objenesis.SpringObjenesis;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * Catches refusals of handlers before Spring's adapter has the application handle them:
 * where the result is there at once, or is nothing but the end. For such handlers, and
 * for those that return futures, the context of the request is also bound to the thread.
 * <p>
 * They are called on an object of a class derived from the controller's, one for each
 * request, which keeps refusals from the handlers of exceptions. Where no class can be
 * derived (final, native image), a catch-all of the application handles the refusals.
 */
final class WatchedHandlers {

	private static final Log logger = LogFactory.getLog(WatchedHandlers.class);

	private final ReactiveAdapterRegistry publishers = ReactiveAdapterRegistry.getSharedInstance();

	private final SpringObjenesis objenesis = new SpringObjenesis();

	private final Map<Class<?>, Optional<Class<?>>> derived = new ConcurrentHashMap<>();

	private final Map<Method, Boolean> watched = new ConcurrentHashMap<>();

	boolean isWatched(HandlerMethod handler) {
		return this.watched.computeIfAbsent(handler.getMethod(), (method) -> isOfWatchedForm(handler))
				&& this.derived.computeIfAbsent(ClassUtils.getUserClass(handler.getBean()), WatchedHandlers::derive)
					.isPresent();
	}

	private boolean isOfWatchedForm(HandlerMethod handler) {
		Method method = handler.getMethod();
		if (Modifier.isFinal(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())
				|| KotlinDetector.isSuspendingFunction(method)) {
			return false;
		}
		Class<?> type = handler.getReturnType().getParameterType();
		return this.publishers.getAdapter(type) == null || CompletionStage.class.isAssignableFrom(type)
				|| endOnly(handler.getReturnType()) != null;
	}

	private @Nullable ReactiveAdapter endOnly(MethodParameter result) {
		ReactiveAdapter adapter = this.publishers.getAdapter(result.getParameterType());
		boolean endOnly = adapter != null && adapter.supportsEmpty() && (adapter.isNoValue()
				|| ResolvableType.forMethodParameter(result).getGeneric(0).resolve(Object.class) == Void.class);
		return endOnly ? adapter : null;
	}

	private static Optional<Class<?>> derive(Class<?> controller) {
		if (Modifier.isFinal(controller.getModifiers()) || NativeDetector.inNativeImage()) {
			return Optional.empty();
		}
		Enhancer enhancer = new Enhancer();
		enhancer.setSuperclass(controller);
		enhancer.setNamingPolicy(new DefaultNamingPolicy() {

			@Override
			protected String getTag() {
				return "ByGeRedis";
			}

		});
		enhancer.setCallbackFilter((method) -> isHandler(method) ? 0 : 1);
		enhancer.setCallbackTypes(new Class<?>[] { MethodInterceptor.class, NoOp.class });
		try {
			return Optional.of(enhancer.createClass());
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("Handlers of " + controller.getName() + " cannot be watched", ex);
			return Optional.empty();
		}
	}

	// Not the likes of finalize()
	private static boolean isHandler(Method method) {
		return !ReflectionUtils.isObjectMethod(method) && !method.getName().equals("finalize");
	}

	/**
	 * Returns what is called instead of a handler. A failure that is taken leaves it
	 * without result.
	 */
	HandlerMethod watch(HandlerMethod handler, UnaryOperator<Runnable> scope, Predicate<Throwable> taken) {
		Class<?> type = this.derived.getOrDefault(ClassUtils.getUserClass(handler.getBean()), Optional.empty())
			.orElseThrow();
		Object standIn = this.objenesis.newInstance(type, true);
		MethodInterceptor call = (self, method, arguments, proxy) -> call(handler, scope, taken, method, arguments);
		((Factory) standIn).setCallbacks(new Callback[] { call, NoOp.INSTANCE });
		return new StandIn(handler, standIn);
	}

	private @Nullable Object call(HandlerMethod handler, UnaryOperator<Runnable> scope, Predicate<Throwable> taken,
			Method method, @Nullable Object[] arguments) throws Throwable {
		ReflectionUtils.makeAccessible(method);
		FutureTask<@Nullable Object> call = new FutureTask<>(() -> method.invoke(handler.getBean(), arguments));
		scope.apply(call).run();
		try {
			Object value = call.get();
			ReactiveAdapter adapter = endOnly(handler.getReturnType());
			return (adapter != null && value != null)
					? adapter.fromPublisher(
							Mono.from(adapter.toPublisher(value)).onErrorResume(taken, (failure) -> Mono.empty()))
					: value;
		}
		catch (ExecutionException ex) {
			Throwable failure = (ex.getCause() instanceof InvocationTargetException thrown)
					? thrown.getTargetException() : Objects.requireNonNullElse(ex.getCause(), ex);
			if (!taken.test(failure)) {
				throw failure;
			}
			return null;
		}
	}

	private static final class StandIn extends HandlerMethod {

		private final Object controller;

		StandIn(HandlerMethod handler, Object standIn) {
			super(handler, standIn, false);
			this.controller = handler.getBean();
		}

		@Override
		public Object getBean() {
			return this.controller;
		}

	}

}
