/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.annotation.Annotation;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * Guards methods in whichever form they give their results.
 *
 * @param <O> the operation
 */
public abstract class AsyncGuardInterceptor<O extends GuardedOperation> extends GuardInterceptor<O> {

	private final GuardedCalls calls;

	/**
	 * Creates an interceptor.
	 * @param source knows the operation of each method
	 * @param calls makes calls whose results come later
	 */
	protected AsyncGuardInterceptor(OperationSource<? extends Annotation, O> source, GuardedCalls calls) {
		super(source);
		this.calls = calls;
	}

	@Override
	protected final @Nullable Object guard(O operation, MethodInvocation invocation) throws Throwable {
		ResultForm form = operation.form();
		if (form.isPlain()) {
			return guardPlain(operation, invocation);
		}
		prepare(operation, invocation);
		return this.calls.make(form,
				() -> new LocatedCall<>(call(operation, own(invocation)), () -> method(invocation)));
	}

	/**
	 * Prepares an invocation whose result comes later, before it becomes calls. Its
	 * attributes are shared by them.
	 * @param operation what the annotation says
	 * @param invocation the invocation
	 */
	protected void prepare(O operation, MethodInvocation invocation) {
	}

	// Each subscription to a publisher is a call of its own
	private static MethodInvocation own(MethodInvocation invocation) {
		return (invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone() : invocation;
	}

	/**
	 * Goes on with a call of {@link #call}, whatever is on the stack of this thread:
	 * advice further in, such as an aspect's, asks there which call it is about.
	 * @param invocation the call
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	public static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
		return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
	}

	/**
	 * Guards one call whose result is there when it returns.
	 * @param operation what the annotation says
	 * @param invocation the call
	 * @return what the caller gets
	 * @throws Throwable what the method throws, or the guard's refusal
	 */
	protected abstract @Nullable Object guardPlain(O operation, MethodInvocation invocation) throws Throwable;

	/**
	 * Guards one call whose result comes later.
	 * @param operation what the annotation says
	 * @param invocation the call
	 * @return the call under its guard
	 */
	protected abstract GuardedCall<?> call(O operation, MethodInvocation invocation);

}
