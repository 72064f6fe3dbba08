/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.annotation.Annotation;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Makes each call under its {@link Guard}, in every calling style.
 *
 * @param <O> the operation
 */
public final class AdmissionInterceptor<O extends GuardedOperation> extends AsyncGuardInterceptor<O> {

	private final Guard<O> guard;

	/**
	 * Creates an interceptor.
	 * @param source knows the operation of each method
	 * @param calls makes calls
	 * @param guard guards them
	 */
	public AdmissionInterceptor(OperationSource<? extends Annotation, O> source, GuardedCalls calls, Guard<O> guard) {
		super(source, calls);
		this.guard = guard;
	}

	@Override
	protected @Nullable Object guardPlain(O operation, MethodInvocation invocation) throws Throwable {
		return GuardedCalls.run(this.guard.call(operation, invocation));
	}

	@Override
	protected void prepare(O operation, MethodInvocation invocation) {
		this.guard.prepare(operation, invocation);
	}

	@Override
	protected GuardedCall<?> call(O operation, MethodInvocation invocation) {
		return this.guard.call(operation, invocation);
	}

}
