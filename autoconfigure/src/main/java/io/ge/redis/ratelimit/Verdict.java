/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * A decision of the engine. The caller publishes its events on its own thread, where the
 * current request is known.
 *
 * @param decision the decision, or {@code null} if the call is refused for want of one
 * @param refusal why there is no decision
 * @param events what to tell
 */
record Verdict(@Nullable RateLimitDecision decision, @Nullable RedisUnavailableException refusal,
		List<RateLimitEvent> events) {

	/**
	 * Returns the verdict on a call that is allowed.
	 */
	static Verdict allowed(List<Standing> standings, Source source, RateLimitReceipt receipt) {
		return of(standings, source, receipt);
	}

	/**
	 * Returns the verdict on a call that at least one limit refuses.
	 */
	static Verdict denied(List<Standing> standings, Source source) {
		return of(standings, source, null);
	}

	private static Verdict of(List<Standing> standings, Source source, @Nullable RateLimitReceipt receipt) {
		List<Quota> quotas = new ArrayList<>(standings.size());
		List<String> violated = new ArrayList<>(receipt != null ? 0 : standings.size());
		List<RateLimitEvent> events = new ArrayList<>(standings.size());
		long wait = 0;
		for (Standing standing : standings) {
			RateLimit limit = standing.demand().limit();
			Quota quota = new Quota(limit, standing.remaining(), Duration.ofNanos(standing.restoredNanos()));
			if (!limit.shadow()) {
				quotas.add(quota);
				if (standing.refuses()) {
					violated.add(limit.name());
					wait = Math.max(wait, standing.waitNanos());
				}
			}
			if (receipt != null || standing.refuses()) {
				events.add(new RateLimitEvent(limit.name(), outcome(standing), source, quota));
			}
		}
		RateLimitDecision decision = (receipt != null) ? new RateLimitDecision.Allowed(quotas, receipt)
				: new RateLimitDecision.Denied(quotas, violated, Duration.ofNanos(wait));
		return new Verdict(decision, null, events);
	}

	private static Outcome outcome(Standing standing) {
		if (!standing.refuses()) {
			return Outcome.ALLOWED;
		}
		return standing.demand().limit().shadow() ? Outcome.SHADOW_DENIED : Outcome.DENIED;
	}

	static Verdict refusal(RedisUnavailableException refusal, RateLimitEvent event) {
		return new Verdict(null, refusal, List.of(event));
	}

	Verdict with(List<RateLimitEvent> more) {
		if (more.isEmpty()) {
			return this;
		}
		List<RateLimitEvent> all = new ArrayList<>(this.events);
		all.addAll(more);
		return new Verdict(this.decision, this.refusal, all);
	}

	/**
	 * Gives back what was taken, since the caller does not want it any more.
	 */
	void giveBack() {
		if (this.decision instanceof RateLimitDecision.Allowed allowed
				&& allowed.receipt() instanceof Receipt receipt) {
			receipt.giveBack();
		}
	}

	RateLimitDecision orRefuse() {
		if (this.decision != null) {
			return this.decision;
		}
		throw (this.refusal != null) ? this.refusal.ofCaller("rate limit '" + this.events.get(0).name() + "'")
				: new IllegalStateException("Neither decision nor refusal");
	}

}
