// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.Acknowledgment;
import io.ge.redis.DeliveryAttempt;
import io.ge.redis.NotRetryableException;
import io.ge.redis.core.call.OngoingResults;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.SourceMethods;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * An annotated method that is called with messages: its parameters and the form of its
 * result, read once at startup.
 * <p>
 * Parameters, in any order: the payload, or the message around it; the headers as a
 * {@code Map<String, String>}; a {@link DeliveryAttempt}; an {@link Acknowledgment}. In
 * batch mode payload or message are a {@code List}, and headers and attempt do not exist.
 * The result is a plain value, a future, a publisher, or the result of a suspending
 * function. Its type decides which, or the value where the type is open. The work is done
 * when the result is there.
 */
public final class ListenerMethod {

	private final GuardedMethod method;

	private final Object bean;

	private final Method invocable;

	private final Class<?> envelope;

	private final boolean batch;

	private final List<Role> roles = new ArrayList<>();

	private @Nullable Type payload;

	/**
	 * Reads a method.
	 * @param bean the bean, a proxy if it is advised
	 * @param envelope the type of messages around a payload, with the payload as its only
	 * type parameter
	 * @param batch whether it is called with several messages
	 * @throws io.ge.redis.GuardConfigurationException if it cannot be called with
	 * messages; says what to write
	 */
	public ListenerMethod(Object bean, GuardedMethod method, Class<?> envelope, boolean batch) {
		this.method = method;
		this.bean = bean;
		this.envelope = envelope;
		this.batch = batch;
		this.invocable = invocable();
		if (ReturnTypes.form(method) != ResultForm.FUTURE && isAsync()) {
			throw method.problem("it is asynchronous and returns no future, so nothing shows when its work ends.",
					"Leave out @Async, since listeners have threads of their own, or return a CompletableFuture.");
		}
		for (int i = 0; i < SourceMethods.parameterCount(method.method()); i++) {
			this.roles.add(role(i));
		}
		if (!this.roles.contains(Role.PAYLOAD) && !this.roles.contains(Role.ENVELOPE)) {
			throw problem("no parameter takes the message.");
		}
	}

	private Method invocable() {
		try {
			return AopUtils.selectInvocableMethod(this.method.method(), this.bean.getClass());
		}
		catch (IllegalStateException ex) {
			throw this.method.problem("the bean's proxy does not have the method.",
					"Make it public, declare it in the interface, or set spring.aop.proxy-target-class=true.", ex);
		}
	}

	// Also by an annotation of the application, and not if nothing makes it asynchronous
	private boolean isAsync() {
		Advisor[] advisors = (this.bean instanceof Advised advised) ? advised.getAdvisors() : new Advisor[0];
		return Arrays.stream(advisors)
			.anyMatch((advisor) -> advisor.getAdvice() instanceof AsyncExecutionInterceptor
					&& advisor instanceof PointcutAdvisor matching
					&& matching.getPointcut()
						.getMethodMatcher()
						.matches(this.method.method(), this.method.targetClass()));
	}

	private Role role(int index) {
		Parameter parameter = this.method.method().getParameters()[index];
		ResolvableType type = ResolvableType.forMethodParameter(this.method.method(), index, this.method.targetClass());
		Class<?> raw = type.resolve(Object.class);
		if (parameter.isAnnotationPresent(DeliveryAttempt.class)) {
			if (raw != int.class || this.batch) {
				throw problem("@DeliveryAttempt is on a " + raw.getSimpleName()
						+ (this.batch ? " of a batch, whose messages have one each." : "."));
			}
			return Role.ATTEMPT;
		}
		if (raw == Acknowledgment.class) {
			return Role.ACKNOWLEDGMENT;
		}
		if (this.batch && raw != List.class) {
			throw problem("it takes batches, and its parameter " + (index + 1) + " is a " + raw.getSimpleName() + ".");
		}
		if (this.batch) {
			type = type.getGeneric(0);
			raw = type.resolve(Object.class);
		}
		else if (Map.class.isAssignableFrom(raw) && type.getGeneric(0).resolve() == String.class
				&& type.getGeneric(1).resolve() == String.class && this.payload != null) {
			return Role.HEADERS;
		}
		if (this.payload != null) {
			throw problem("two of its parameters take the message.");
		}
		boolean whole = raw == this.envelope;
		ResolvableType content = whole ? type.getGeneric(0) : type;
		this.payload = ReturnTypes.resolved(content);
		ResolvableType read = ResolvableType.forType(this.payload);
		if (isOpen(content) || read.resolve(Object.class) == Object.class) {
			throw problem("the type of its payload is not known.");
		}
		if (OngoingResults.find(content, this.envelope::equals) != null) {
			throw problem("it takes several messages at once, and is not in batch mode.");
		}
		return whole ? Role.ENVELOPE : Role.PAYLOAD;
	}

	// A class of the bean cannot resolve variables in the elements of an array
	private static boolean isOpen(ResolvableType type) {
		ResolvableType element = type;
		while (element.isArray()) {
			element = element.getComponentType();
		}
		ResolvableType seen = (element != type) ? ResolvableType.forType(element.getType()) : type;
		return ResolvableType.forClassWithGenerics(List.class, seen).hasUnresolvableGenerics();
	}

	private RuntimeException problem(String problem) {
		return this.method.problem(problem, "Write one parameter for the payload or a " + this.envelope.getSimpleName()
				+ " of it, a List of them in batch mode, and behind it, if wanted, a Map<String, String> for the"
				+ " headers, an int with @DeliveryAttempt and an Acknowledgment.");
	}

	public Type payloadType() {
		return Objects.requireNonNull(this.payload);
	}

	public boolean takesAcknowledgment() {
		return this.roles.contains(Role.ACKNOWLEDGMENT);
	}

	public GuardedMethod method() {
		return this.method;
	}

	/**
	 * Returns the handler that calls this method.
	 */
	public <T> WorkHandler<T> handler(MessageReader<T> reader) {
		return (deliveries, acknowledgment) -> {
			List<@Nullable Object> messages = new ArrayList<>(deliveries.size());
			for (Delivery<T> delivery : deliveries) {
				try {
					messages.add(message(delivery, reader));
				}
				catch (NotRetryableException ex) {
					acknowledgment.reject(delivery, ex);
				}
			}
			return messages.isEmpty() ? CompletableFuture.completedFuture(null)
					: call(this.invocable, arguments(deliveries, messages, acknowledgment, reader));
		};
	}

	private <T> @Nullable Object message(Delivery<T> delivery, MessageReader<T> reader) {
		Object payload = reader.payload().apply(delivery, payloadType());
		if (payload == null && payloadType() instanceof Class<?> type && type.isPrimitive()) {
			throw new NotRetryableException(
					"The payload is null, and " + this.method.displayName() + " takes a " + type.getName()
							+ ". Let it take a " + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName(),
					null);
		}
		return this.roles.contains(Role.ENVELOPE) ? reader.envelope().apply(delivery, payload) : payload;
	}

	private <T> @Nullable Object[] arguments(List<Delivery<T>> deliveries, List<@Nullable Object> messages,
			Acknowledgment acknowledgment, MessageReader<T> reader) {
		@Nullable Object[] arguments = new Object[this.roles.size()];
		Delivery<T> first = deliveries.get(0);
		for (int i = 0; i < arguments.length; i++) {
			arguments[i] = switch (this.roles.get(i)) {
				case ATTEMPT -> first.attempt();
				case ACKNOWLEDGMENT -> acknowledgment;
				case HEADERS -> reader.headers().apply(first);
				case PAYLOAD, ENVELOPE -> this.batch ? messages : messages.get(0);
			};
		}
		return arguments;
	}

	/**
	 * Calls a method of the bean.
	 * @return completes when its work is over, in each form of result
	 */
	public CompletionStage<? extends @Nullable Object> call(Method invocable, @Nullable Object... arguments)
			throws Exception {
		ReflectionUtils.makeAccessible(invocable);
		Object result = KotlinDetector.isSuspendingFunction(invocable) ? Reactive.call(this.bean, invocable, arguments)
				: invoke(invocable, arguments);
		Class<?> ongoing = OngoingResults.find(result);
		if (result == null || ongoing == null) {
			return CompletableFuture.completedFuture(result);
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass());
		if (!(result instanceof CompletionStage) && adapter == null) {
			throw this.method.problem(
					"it has returned a " + ongoing.getSimpleName() + ", and nothing shows when its work ends.",
					"Return the plain value, a Mono, a Flux or a CompletableFuture.");
		}
		return ((result instanceof CompletionStage<?> stage) ? stage
				: Reactive.follow(Objects.requireNonNull(adapter), result))
			.thenApply(OngoingResults::requireOver);
	}

	private @Nullable Object invoke(Method invocable, @Nullable Object[] arguments) throws Exception {
		try {
			return invocable.invoke(this.bean, arguments);
		}
		catch (InvocationTargetException ex) {
			ReflectionUtils.rethrowException(ex.getTargetException());
			throw ex;
		}
	}

	private enum Role {

		PAYLOAD, ENVELOPE, HEADERS, ATTEMPT, ACKNOWLEDGMENT

	}

	/**
	 * On Reactor, which may be absent.
	 */
	private static final class Reactive {

		static Object call(Object bean, Method method, @Nullable Object[] arguments) {
			return CoroutinesUtils.invokeSuspendingFunction(method, bean, arguments);
		}

		static CompletionStage<? extends @Nullable Object> follow(ReactiveAdapter adapter, Object result) {
			Publisher<?> publisher = adapter.toPublisher(result);
			return adapter.isMultiValue() ? Flux.from(publisher).doOnNext(OngoingResults::requireOver).then().toFuture()
					: Mono.from(publisher).toFuture();
		}

	}

}
