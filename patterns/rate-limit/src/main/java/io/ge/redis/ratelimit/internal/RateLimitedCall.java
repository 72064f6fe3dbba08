// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.ratelimit.RateLimitDecision;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that needs permits.
 */
final class RateLimitedCall implements GuardedCall<@Nullable EngineDecision> {

	private final DefaultRateLimiter limiter;

	private final RateLimitOperation operation;

	private final MethodInvocation invocation;

	private volatile List<PermitRequest> requests = List.of();

	RateLimitedCall(DefaultRateLimiter limiter, RateLimitOperation operation, MethodInvocation invocation) {
		this.limiter = limiter;
		this.operation = operation;
		this.invocation = invocation;
	}

	@Override
	@SuppressWarnings("NullAway") // what is never null will do, and must stay cancellable
	public CompletableFuture<@Nullable EngineDecision> ask() {
		this.requests = this.operation.requests(this.limiter.engine(), this.invocation);
		return this.requests.isEmpty() ? CompletableFuture.completedFuture(null)
				: this.limiter.engine().decide(this.requests);
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public boolean isInterruptible() {
		return DefaultRateLimiter.mayWait(this.requests);
	}

	@Override
	public RuntimeException interrupted(InterruptedException interrupt) {
		return DefaultRateLimiter.interruption(this.requests).apply(interrupt);
	}

	@Override
	public Work decide(@Nullable EngineDecision decided) {
		if (decided == null) {
			return this::proceed;
		}
		RateLimitDecision decision = this.limiter.publish(this.requests, decided);
		if (decision instanceof RateLimitDecision.Allowed allowed) {
			return this.operation.refundOn().isEmpty() ? this::proceed : refundable(allowed);
		}
		return () -> this.operation.refuse(this.invocation, (RateLimitDecision.Denied) decision);
	}

	private @Nullable Object proceed() throws Throwable {
		return Guard.proceed(this.operation, this.invocation);
	}

	private Work refundable(RateLimitDecision.Allowed allowed) {
		return new Work() {

			@Override
			public @Nullable Object start() throws Throwable {
				return proceed();
			}

			@Override
			public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
				if (failure != null) {
					RateLimitedCall.this.operation.refund(RateLimitedCall.this.limiter, allowed, failure);
				}
				return DONE;
			}

		};
	}

	@Override
	public void release(@Nullable EngineDecision decided) {
		if (decided != null) {
			decided.refund();
		}
	}

}
