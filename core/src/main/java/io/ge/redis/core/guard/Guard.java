// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.OngoingResults;
import io.ge.redis.core.invocation.GuardedOperation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * Guards the calls of annotated methods: written once for plain values, futures,
 * publishers and suspending functions.
 */
@FunctionalInterface
public interface Guard<O extends GuardedOperation> {

	/**
	 * Makes the course of one call. Runs on the thread that calls the method or
	 * subscribes to its publisher.
	 */
	GuardedCall<?> call(O operation, MethodInvocation invocation);

	/**
	 * Makes a call with a plain result, on the thread of its caller.
	 */
	default @Nullable Object plain(O operation, MethodInvocation invocation) throws Throwable {
		return GuardedCalls.run(call(operation, invocation));
	}

	/**
	 * Prepares an invocation with an asynchronous result, before it becomes calls. Its
	 * attributes are shared by them.
	 */
	default void prepare(O operation, MethodInvocation invocation) {
	}

	/**
	 * Calls the method. An asynchronous call does so on a thread that may be at work on
	 * another one: advice further in, such as an aspect's, asks there which call it is
	 * about.
	 */
	static @Nullable Object proceed(GuardedOperation operation, MethodInvocation invocation) throws Throwable {
		return operation.form().isPlain() ? OngoingResults.requireOver(invocation.proceed())
				: ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
	}

}
