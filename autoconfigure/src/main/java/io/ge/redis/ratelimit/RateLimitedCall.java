/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method whose result comes later.
 */
final class RateLimitedCall implements GuardedCall<Verdict> {

	private final DefaultRateLimiter limiter;

	private final RateLimitOperation operation;

	private final MethodInvocation invocation;

	private List<Demand> demands = List.of();

	RateLimitedCall(DefaultRateLimiter limiter, RateLimitOperation operation, MethodInvocation invocation) {
		this.limiter = limiter;
		this.operation = operation;
		this.invocation = invocation;
	}

	@Override
	public CompletableFuture<Verdict> ask() {
		this.demands = this.operation.demands(this.invocation);
		return this.demands.isEmpty() ? CompletableFuture.completedFuture(Verdict.UNASKED)
				: this.limiter.ask(this.demands);
	}

	@Override
	public Work decide(Verdict verdict) {
		if (verdict == Verdict.UNASKED) {
			return () -> AsyncGuardInterceptor.proceed(this.invocation);
		}
		RateLimitDecision decision = this.limiter.tell(this.demands, verdict);
		if (decision instanceof RateLimitDecision.Allowed allowed) {
			return this.operation.refundOn().isEmpty() ? () -> AsyncGuardInterceptor.proceed(this.invocation)
					: new Refundable(allowed);
		}
		return () -> this.operation.refuse(this.invocation, (RateLimitDecision.Denied) decision);
	}

	@Override
	public void giveBack(Verdict verdict) {
		verdict.giveBack();
	}

	/**
	 * Work after whose failure the permits may be given back.
	 */
	private final class Refundable implements Work {

		private final RateLimitDecision.Allowed allowed;

		Refundable(RateLimitDecision.Allowed allowed) {
			this.allowed = allowed;
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return AsyncGuardInterceptor.proceed(RateLimitedCall.this.invocation);
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			if (failure != null) {
				RateLimitedCall.this.operation.refund(RateLimitedCall.this.limiter, this.allowed, failure);
			}
			return DONE;
		}

	}

}
