/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.annotation.Annotation;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.guard.Admission.Pending;
import io.ge.redis.core.guard.Admission.Proceed;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.outage.Waiting;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Asks a {@link Guard} about each call and does as it says, in every calling style. A
 * plain call waits for the decision and for its completion.
 *
 * @param <O> the operation
 */
public final class AdmissionInterceptor<O extends GuardedOperation> extends AsyncGuardInterceptor<O> {

	private final Guard<O> guard;

	/**
	 * Creates an interceptor.
	 * @param source knows the operation of each method
	 * @param calls makes calls whose results come later
	 * @param guard decides
	 */
	public AdmissionInterceptor(OperationSource<? extends Annotation, O> source, GuardedCalls calls, Guard<O> guard) {
		super(source, calls);
		this.guard = guard;
	}

	@Override
	protected @Nullable Object guardPlain(O operation, MethodInvocation invocation) throws Throwable {
		Admission admission = this.guard.admit(operation, invocation);
		if (admission instanceof Pending<?> pending) {
			admission = pending.await();
		}
		if (admission == Admission.proceed()) {
			return invocation.proceed();
		}
		return (admission instanceof Proceed proceed) ? proceed(invocation, proceed.scope())
				: ((Admission.Instead) admission).answer().get();
	}

	private static @Nullable Object proceed(MethodInvocation invocation, GuardScope scope) throws Throwable {
		Object result;
		try {
			result = invocation.proceed();
		}
		catch (Throwable ex) {
			try {
				Waiting.await(scope.complete(null, ex));
			}
			catch (RuntimeException | Error problem) {
				ex.addSuppressed(problem);
			}
			throw ex;
		}
		Waiting.await(scope.complete(result, null));
		return result;
	}

	@Override
	protected GuardedCall<?> call(O operation, MethodInvocation invocation) {
		return new AdmittedCall<>(this.guard, operation, invocation);
	}

}
