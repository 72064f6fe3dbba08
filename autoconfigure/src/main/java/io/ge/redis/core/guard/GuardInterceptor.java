/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.annotation.Annotation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/**
 * Finds the operation of a call and makes the call under its {@link Guard}, in whichever
 * form its method gives its result. There is no state in which an annotated method is let
 * through undecided, and none in which a guard waits on a thread that must not.
 *
 * @param <O> the operation
 */
final class GuardInterceptor<O extends GuardedOperation> implements MethodInterceptor {

	private final OperationSource<? extends Annotation, O> source;

	private final GuardedCalls calls;

	private final Guard<O> guard;

	GuardInterceptor(OperationSource<? extends Annotation, O> source, GuardedCalls calls, Guard<O> guard) {
		this.source = source;
		this.calls = calls;
		this.guard = guard;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		O operation = this.source.get(invocation.getMethod(), targetClass(invocation));
		if (operation == null) {
			return invocation.proceed();
		}
		try {
			return operation.form().isPlain() ? plain(operation, invocation) : async(operation, invocation);
		}
		catch (RedisUnavailableException ex) {
			throw ex.in(method(invocation).displayName());
		}
	}

	private @Nullable Object plain(O operation, MethodInvocation invocation) throws Throwable {
		if (EventLoops.isCurrent()) {
			throw mustNotWait(method(invocation));
		}
		return GuardedCalls.run(this.guard.call(operation, invocation));
	}

	private Object async(O operation, MethodInvocation invocation) {
		this.guard.prepare(operation, invocation);
		ResultForm form = operation.form();
		return this.calls.make(form,
				() -> new LocatedCall<>(this.guard.call(operation, own(invocation)), () -> method(invocation)));
	}

	// Each subscription to a publisher is a call of its own
	private static MethodInvocation own(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone() : invocation;
	}

	private GuardedMethod method(MethodInvocation invocation) {
		Class<?> targetClass = targetClass(invocation);
		return new GuardedMethod(AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass), targetClass,
				this.source.annotationType());
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

	/**
	 * A call whose refusal for want of a decision names the method.
	 *
	 * @param call the call
	 * @param method the method, asked for if it is needed
	 * @param <A> the answer
	 */
	private record LocatedCall<A extends @Nullable Object>(GuardedCall<A> call,
			Supplier<GuardedMethod> method) implements GuardedCall<A> {

		@Override
		public void subscribed(Object context) {
			this.call.subscribed(context);
		}

		@Override
		public CompletableFuture<A> ask() {
			return this.call.ask();
		}

		@Override
		public boolean isCancellable() {
			return this.call.isCancellable();
		}

		@Override
		public RuntimeException interrupted(InterruptedException interrupt) {
			return this.call.interrupted(interrupt);
		}

		@Override
		public Work decide(A answer) throws Throwable {
			try {
				return this.call.decide(answer);
			}
			catch (RedisUnavailableException ex) {
				throw ex.in(this.method.get().displayName());
			}
		}

		@Override
		public void giveBack(A answer) {
			this.call.giveBack(answer);
		}

	}

}
