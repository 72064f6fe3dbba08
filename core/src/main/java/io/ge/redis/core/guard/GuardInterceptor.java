// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.call.OngoingResultException;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Finds the operation of a call and makes the call under its {@link Guard}, in the form
 * of its result. No annotated method ever proceeds undecided. No guard ever waits on a
 * thread that must not.
 */
final class GuardInterceptor<O extends GuardedOperation> implements MethodInterceptor {

	private final Supplier<GuardAdvisor.Parts<O>> parts;

	GuardInterceptor(Supplier<GuardAdvisor.Parts<O>> parts) {
		this.parts = parts;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		GuardAdvisor.Parts<O> parts = this.parts.get();
		O operation = parts.source().get(invocation.getMethod(), targetClass(invocation));
		if (operation == null) {
			return invocation.proceed();
		}
		try {
			return operation.form().isPlain() ? plain(parts, operation, invocation)
					: async(parts, operation, invocation);
		}
		catch (RedisUnavailableException | OngoingResultException ex) {
			throw placed(ex, method(parts, invocation));
		}
	}

	private static GeRedisException placed(GeRedisException refusal, GuardedMethod method) {
		if (refusal instanceof OngoingResultException ongoing) {
			return method.problem("it has returned a " + ongoing.type().getSimpleName()
					+ ", which its return type does not show, so its work continues after the guarding has ended.",
					"Declare the type that it returns, such as a Mono or a CompletableFuture.", ongoing);
		}
		return (refusal instanceof RedisUnavailableException unavailable) ? unavailable.in(method.displayName())
				: refusal;
	}

	private @Nullable Object plain(GuardAdvisor.Parts<O> parts, O operation, MethodInvocation invocation)
			throws Throwable {
		if (EventLoops.isCurrent()) {
			throw mustNotWait(method(parts, invocation));
		}
		return parts.guard().plain(operation, invocation);
	}

	private Object async(GuardAdvisor.Parts<O> parts, O operation, MethodInvocation invocation) {
		parts.guard().prepare(operation, invocation);
		ResultForm form = operation.form();
		return parts.calls()
			.make(form, () -> parts.guard().call(operation, own(invocation)),
					(refusal) -> (refusal instanceof GeRedisException ours) ? placed(ours, method(parts, invocation))
							: refusal);
	}

	// Each subscription to a publisher is a call of its own
	private static MethodInvocation own(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone() : invocation;
	}

	private static GuardedMethod method(GuardAdvisor.Parts<?> parts, MethodInvocation invocation) {
		Class<?> targetClass = targetClass(invocation);
		return new GuardedMethod(AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass), targetClass,
				parts.source().annotationType());
	}

	private static Class<?> targetClass(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass();
	}

	private static GuardConfigurationException mustNotWait(GuardedMethod method) {
		return method.problem(
				"the method has a plain result, for which its guard may have to wait, and was called on "
						+ Thread.currentThread().getName() + ", a thread that must not wait, such as an event loop's.",
				"Return a Mono or a CompletableFuture, or have it called on a thread that may wait: by "
						+ "WebFluxConfigurer.configureBlockingExecution, spring.threads.virtual.enabled=true, or "
						+ "Mono.fromCallable(...).subscribeOn(Schedulers.boundedElastic()).");
	}

}
