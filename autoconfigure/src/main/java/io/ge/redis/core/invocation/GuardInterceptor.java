/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.annotation.Annotation;

import io.ge.redis.core.outage.RedisUnavailableException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Finds the operation of a call and hands both to the pattern. There is no state in which
 * an annotated method is let through undecided, and none in which a guard waits on a
 * thread that must not.
 *
 * @param <O> the operation
 */
public abstract class GuardInterceptor<O extends GuardedOperation> implements MethodInterceptor {

	private final OperationSource<? extends Annotation, O> source;

	/**
	 * Creates an interceptor.
	 * @param source knows the operation of each method
	 */
	protected GuardInterceptor(OperationSource<? extends Annotation, O> source) {
		this.source = source;
	}

	@Override
	public final @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		O operation = this.source.get(invocation.getMethod(), targetClass(invocation));
		if (operation == null) {
			return invocation.proceed();
		}
		if (operation.form().isPlain() && EventLoops.isCurrent()) {
			throw mustNotWait(method(invocation));
		}
		try {
			return guard(operation, invocation);
		}
		catch (RedisUnavailableException ex) {
			throw ex.in(method(invocation).displayName());
		}
	}

	/**
	 * Returns the method that is called, for messages.
	 * @param invocation the call
	 * @return the method
	 */
	final GuardedMethod method(MethodInvocation invocation) {
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
	 * Guards one call.
	 * @param operation what the annotation says
	 * @param invocation the call
	 * @return what the caller gets
	 * @throws Throwable what the method throws, or the guard's refusal
	 */
	protected abstract @Nullable Object guard(O operation, MethodInvocation invocation) throws Throwable;

}
