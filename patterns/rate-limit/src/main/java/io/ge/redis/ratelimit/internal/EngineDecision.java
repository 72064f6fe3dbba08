// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * A decision of the engine with its events. The caller publishes these on its own thread,
 * where the current request is known.
 *
 * @param result the decision, or {@code null} if an outage refuses the call
 * @param waitNanos the time until the caller may proceed, zero or less for at once
 */
record EngineDecision(@Nullable RateLimitDecision result, @Nullable RedisUnavailableException refusal,
		List<RateLimitEvent> events, long waitNanos) {

	static EngineDecision unlimited(List<RateLimitEvent> events) {
		return new EngineDecision(new RateLimitDecision.Allowed(List.of(), TakenPermits.NONE), null, events, 0);
	}

	static EngineDecision refusal(RedisUnavailableException refusal, RateLimitEvent event) {
		return new EngineDecision(null, refusal, List.of(event), 0);
	}

	EngineDecision with(List<RateLimitEvent> more) {
		if (more.isEmpty()) {
			return this;
		}
		List<RateLimitEvent> all = new ArrayList<>(this.events);
		all.addAll(more);
		return new EngineDecision(this.result, this.refusal, all, this.waitNanos);
	}

	/**
	 * Completes a call when it may proceed, or refunds its permits if the caller no
	 * longer waits.
	 */
	void settle(CompletableFuture<EngineDecision> call) {
		if (this.waitNanos <= 0) {
			forward(this, null, call);
			return;
		}
		call.whenComplete((done, cancelled) -> {
			if (cancelled != null) {
				refund();
			}
		});
		CompletableFuture.delayedExecutor(this.waitNanos, TimeUnit.NANOSECONDS, Runnable::run)
			.execute(() -> call.complete(this));
	}

	static void forward(@Nullable EngineDecision decision, @Nullable Throwable failure,
			CompletableFuture<EngineDecision> call) {
		if (decision == null) {
			call.completeExceptionally((failure != null) ? failure : new IllegalStateException("No decision"));
		}
		else if (!call.complete(decision)) {
			decision.refund();
		}
	}

	public void refund() {
		if (this.result instanceof RateLimitDecision.Allowed allowed
				&& allowed.permits() instanceof TakenPermits permits) {
			permits.refund();
		}
	}

	public RateLimitDecision orRefuse() {
		if (this.result != null) {
			return this.result;
		}
		throw (this.refusal != null) ? this.refusal.ofCaller("rate limit '" + this.events.get(0).name() + "'")
				: new IllegalStateException("Neither decision nor refusal");
	}

	/**
	 * Collects the outcomes of the limits of one call.
	 */
	static final class Limits {

		private final Source source;

		private final boolean allowed;

		private final int most;

		private List<Quota> quotas = List.of();

		private List<String> violated = List.of();

		private List<RateLimitEvent> events = List.of();

		private long retryAfter;

		Limits(Source source, boolean allowed, int most) {
			this.source = source;
			this.allowed = allowed;
			this.most = most;
		}

		/**
		 * Adds the state of a limit after the decision.
		 * @param restoredNanos time until the next permit is restored, zero if none is
		 * missing
		 * @param waitNanos time until the limit would no longer refuse the request, zero
		 * if it does not
		 */
		void add(PermitRequest request, long remaining, long restoredNanos, long waitNanos) {
			RateLimit limit = request.limit();
			Quota quota = new Quota(limit, remaining, Duration.ofNanos(restoredNanos));
			Outcome outcome = Outcome.ALLOWED;
			if (waitNanos > 0) {
				outcome = limit.shadow() ? Outcome.SHADOW_DENIED : Outcome.DENIED;
			}
			if (!limit.shadow()) {
				this.quotas = plus(this.quotas, quota);
			}
			if (outcome == Outcome.DENIED) {
				this.violated = plus(this.violated, limit.name());
				this.retryAfter = Math.max(this.retryAfter, waitNanos);
			}
			if (this.allowed || outcome != Outcome.ALLOWED) {
				this.events = plus(this.events, new RateLimitEvent(limit.name(), outcome, this.source, quota));
			}
		}

		// Most calls have one limit, and a list of one is half as large as a growing one
		private <T> List<T> plus(List<T> list, T next) {
			if (this.most == 1) {
				return List.of(next);
			}
			List<T> growing = list.isEmpty() ? new ArrayList<>(this.most) : list;
			growing.add(next);
			return growing;
		}

		EngineDecision denied() {
			return new EngineDecision(
					new RateLimitDecision.Denied(this.quotas, this.violated, Duration.ofNanos(this.retryAfter)), null,
					this.events, 0);
		}

		EngineDecision allowed(TakenPermits permits, long waitNanos) {
			return new EngineDecision(new RateLimitDecision.Allowed(this.quotas, permits), null, this.events,
					waitNanos);
		}

	}

}
