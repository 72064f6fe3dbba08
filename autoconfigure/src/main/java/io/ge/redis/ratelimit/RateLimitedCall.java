/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that needs permits.
 */
final class RateLimitedCall implements GuardedCall<@Nullable Verdict> {

	private final DefaultRateLimiter limiter;

	private final RateLimitOperation operation;

	private final MethodInvocation invocation;

	private volatile List<Demand> demands = List.of();

	RateLimitedCall(DefaultRateLimiter limiter, RateLimitOperation operation, MethodInvocation invocation) {
		this.limiter = limiter;
		this.operation = operation;
		this.invocation = invocation;
	}

	@Override
	@SuppressWarnings("NullAway") // what is never null will do, and must stay cancellable
	public CompletableFuture<@Nullable Verdict> ask() {
		this.demands = this.operation.demands(this.invocation);
		return this.demands.isEmpty() ? CompletableFuture.completedFuture(null) : this.limiter.ask(this.demands);
	}

	@Override
	public boolean isInterruptible() {
		return DefaultRateLimiter.mayWait(this.demands);
	}

	@Override
	public RuntimeException interrupted(InterruptedException interrupt) {
		return DefaultRateLimiter.interruption(this.demands).apply(interrupt);
	}

	@Override
	public Work decide(@Nullable Verdict verdict) {
		if (verdict == null) {
			return this::proceed;
		}
		RateLimitDecision decision = this.limiter.tell(this.demands, verdict);
		if (decision instanceof RateLimitDecision.Allowed allowed) {
			return this.operation.refundOn().isEmpty() ? this::proceed : new Refundable(allowed);
		}
		return () -> this.operation.refuse(this.invocation, (RateLimitDecision.Denied) decision);
	}

	private @Nullable Object proceed() throws Throwable {
		return Guard.proceed(this.operation, this.invocation);
	}

	@Override
	public void giveBack(@Nullable Verdict verdict) {
		if (verdict != null) {
			verdict.giveBack();
		}
	}

	/**
	 * Work whose permits are refunded after some failures.
	 */
	private final class Refundable implements Work {

		private final RateLimitDecision.Allowed allowed;

		Refundable(RateLimitDecision.Allowed allowed) {
			this.allowed = allowed;
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return proceed();
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
