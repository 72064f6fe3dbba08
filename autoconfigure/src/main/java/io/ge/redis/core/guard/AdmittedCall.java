/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Admission.Instead;
import io.ge.redis.core.guard.Admission.Pending;
import io.ge.redis.core.guard.Admission.Proceed;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import io.ge.redis.core.invocation.GuardedOperation;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call with an asynchronous result, by the admission of its {@link Guard}.
 *
 * @param <O> the operation
 */
final class AdmittedCall<O extends GuardedOperation> implements GuardedCall<Object> {

	private final Guard<O> guard;

	private final O operation;

	private final MethodInvocation invocation;

	private volatile @Nullable Pending<Object> pending;

	AdmittedCall(Guard<O> guard, O operation, MethodInvocation invocation) {
		this.guard = guard;
		this.operation = operation;
		this.invocation = invocation;
	}

	@Override
	@SuppressWarnings("unchecked")
	public CompletableFuture<Object> ask() {
		Admission admission = this.guard.admit(this.operation, this.invocation);
		if (admission instanceof Pending<?> postponed) {
			this.pending = (Pending<Object>) postponed;
			return this.pending.decision();
		}
		return CompletableFuture.completedFuture(admission);
	}

	@Override
	public Throwable interrupted(InterruptedException interrupt) {
		Pending<Object> postponed = this.pending;
		return (postponed != null && postponed.interruption() != null) ? postponed.interruption().apply(interrupt)
				: GuardedCall.super.interrupted(interrupt);
	}

	@Override
	public Work decide(Object answer) {
		Pending<Object> postponed = this.pending;
		Admission admission = (postponed != null) ? postponed.admit(answer) : (Admission) answer;
		if (admission instanceof Instead instead) {
			return instead.answer()::get;
		}
		return new Proceeding(((Proceed) admission).scope());
	}

	@Override
	public void giveBack(Object answer) {
		Pending<Object> postponed = this.pending;
		if (postponed != null) {
			postponed.compensation().accept(answer);
		}
		else if (answer instanceof Proceed proceed) {
			proceed.scope().compensate();
		}
	}

	/**
	 * The method under its guard.
	 */
	private final class Proceeding implements Work {

		private final GuardScope scope;

		Proceeding(GuardScope scope) {
			this.scope = scope;
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return AsyncGuardInterceptor.proceed(AdmittedCall.this.invocation);
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			return this.scope.complete(value, failure);
		}

	}

}
