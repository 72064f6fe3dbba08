/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * What the engine says to its caller, who publishes the events on its own thread, where
 * the current request is known.
 *
 * @param decision the decision, or {@code null} if the call is refused for want of one
 * @param refusal why there is no decision
 * @param events what to tell
 */
record Verdict(@Nullable RateLimitDecision decision, @Nullable RedisUnavailableException refusal,
		List<RateLimitEvent> events) {

	static Verdict of(RateLimitDecision decision, Source source) {
		List<RateLimitEvent> events = new ArrayList<>(decision.quotas().size());
		boolean allowed = decision.isAllowed();
		for (Quota quota : decision.quotas()) {
			if (allowed || isViolated(decision, quota)) {
				events.add(new RateLimitEvent(quota.limit().name(), allowed ? Outcome.ALLOWED : Outcome.DENIED, source,
						quota));
			}
		}
		return new Verdict(decision, null, events);
	}

	static Verdict refusal(RedisUnavailableException refusal, RateLimitEvent event) {
		return new Verdict(null, refusal, List.of(event));
	}

	Verdict with(List<RateLimitEvent> more) {
		List<RateLimitEvent> all = new ArrayList<>(this.events);
		all.addAll(more);
		return new Verdict(this.decision, this.refusal, all);
	}

	private static boolean isViolated(RateLimitDecision decision, Quota quota) {
		return decision instanceof RateLimitDecision.Denied denied && denied.violated().contains(quota.limit().name());
	}

	RateLimitDecision orRefuse() {
		if (this.decision != null) {
			return this.decision;
		}
		throw (this.refusal != null) ? this.refusal : new IllegalStateException("Neither decision nor refusal");
	}

}
