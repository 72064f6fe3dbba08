/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.core.guard.Admission;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.guard.GuardScope;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Admits calls that have the permits of all their limits.
 */
final class RateLimitGuard implements Guard<RateLimitOperation> {

	private final Supplier<DefaultRateLimiter> limiter;

	RateLimitGuard(Supplier<DefaultRateLimiter> limiter) {
		this.limiter = limiter;
	}

	@Override
	public Admission admit(RateLimitOperation operation, MethodInvocation invocation) {
		List<Demand> demands = operation.demands(invocation);
		if (demands.isEmpty()) {
			return Admission.proceed();
		}
		DefaultRateLimiter limiter = this.limiter.get();
		CompletableFuture<Verdict> asked = limiter.ask(demands);
		Admission.Pending<Verdict> pending = Admission.pending(asked,
				(verdict) -> admission(limiter, operation, invocation, limiter.tell(demands, verdict)),
				Verdict::giveBack);
		return DefaultRateLimiter.mayWait(demands) ? pending.interruptible(DefaultRateLimiter.interruption(demands))
				: pending;
	}

	private static Admission admission(DefaultRateLimiter limiter, RateLimitOperation operation,
			MethodInvocation invocation, RateLimitDecision decision) {
		if (decision instanceof RateLimitDecision.Allowed allowed) {
			return operation.refundOn().isEmpty() ? Admission.proceed()
					: Admission.proceed(new Refundable(limiter, operation, allowed));
		}
		return Admission.answer(() -> operation.refuse(invocation, (RateLimitDecision.Denied) decision));
	}

	/**
	 * A call whose permits are refunded after some failures.
	 *
	 * @param limiter refunds them
	 * @param operation the operation
	 * @param allowed the decision
	 */
	private record Refundable(DefaultRateLimiter limiter, RateLimitOperation operation,
			RateLimitDecision.Allowed allowed) implements GuardScope {

		@Override
		public CompletionStage<?> complete(@Nullable Object value, @Nullable Throwable failure) {
			if (failure != null) {
				this.operation.refund(this.limiter, this.allowed, failure);
			}
			return DONE;
		}

		@Override
		public void compensate() {
			this.limiter.refund(this.allowed);
		}

	}

}
