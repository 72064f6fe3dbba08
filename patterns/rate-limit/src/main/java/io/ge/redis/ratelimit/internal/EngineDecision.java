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
import io.ge.redis.ratelimit.RateLimitPermits;
import org.jspecify.annotations.Nullable;

/**
 * A decision of the engine with its events. The caller publishes these on its own thread,
 * where the current request is known.
 *
 * @param result the decision, or {@code null} if an outage refuses the call
 * @param waitNanos how long the caller waits until it may proceed, zero or less for not
 * at all
 */
record EngineDecision(@Nullable RateLimitDecision result, @Nullable RedisUnavailableException refusal,
		List<RateLimitEvent> events, long waitNanos) {

	static EngineDecision of(List<LimitState> states, Source source, @Nullable RateLimitPermits permits,
			long waitNanos) {
		List<Quota> quotas = List.of();
		List<String> violated = List.of();
		List<RateLimitEvent> events = List.of();
		long retryAfter = 0;
		for (LimitState state : states) {
			RateLimit limit = state.request().limit();
			Quota quota = new Quota(limit, state.remaining(), Duration.ofNanos(state.restoredNanos()));
			if (!limit.shadow()) {
				quotas = plus(quotas, quota, states.size());
				if (state.refuses()) {
					violated = plus(violated, limit.name(), states.size());
					retryAfter = Math.max(retryAfter, state.waitNanos());
				}
			}
			if (permits != null || state.refuses()) {
				events = plus(events, new RateLimitEvent(limit.name(), outcome(state), source, quota), states.size());
			}
		}
		RateLimitDecision result = (permits != null) ? new RateLimitDecision.Allowed(quotas, permits)
				: new RateLimitDecision.Denied(quotas, violated, Duration.ofNanos(retryAfter));
		return new EngineDecision(result, null, events, waitNanos);
	}

	/**
	 * Adds to a list. Most calls have one limit, and a list of one is half as large as
	 * one that may grow.
	 * @param list empty, or made by this
	 * @param most how many there will be at most
	 */
	static <T> List<T> plus(List<T> list, T next, int most) {
		if (most == 1) {
			return List.of(next);
		}
		List<T> growing = list.isEmpty() ? new ArrayList<>(most) : list;
		growing.add(next);
		return growing;
	}

	static EngineDecision denied(List<LimitState> states, Source source) {
		return of(states, source, null, 0);
	}

	private static Outcome outcome(LimitState state) {
		if (!state.refuses()) {
			return Outcome.ALLOWED;
		}
		return state.request().limit().shadow() ? Outcome.SHADOW_DENIED : Outcome.DENIED;
	}

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

}
