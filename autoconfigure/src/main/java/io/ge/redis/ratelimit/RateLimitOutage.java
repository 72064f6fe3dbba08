/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * Decides while Redis is unavailable, for each limit by its policy. A limit that is only
 * a trial refuses nobody then either.
 */
final class RateLimitOutage {

	private final LocalRateLimiter local;

	RateLimitOutage(LocalRateLimiter local) {
		this.local = local;
	}

	/**
	 * Decides on a call that Redis did not decide on.
	 * @param demands what it wants
	 * @param failure why there is no answer
	 */
	Turn decide(List<Demand> demands, @Nullable Throwable failure) {
		Throwable cause = (failure != null) ? Waiting.cause(failure) : null;
		if (!(cause instanceof RedisUnavailableException unavailable)) {
			throw new IllegalStateException("The decision failed", cause);
		}
		List<RateLimitEvent> events = new ArrayList<>(demands.size());
		List<Demand> counted = new ArrayList<>(demands.size());
		for (Demand demand : demands) {
			RateLimit limit = demand.limit();
			if (limit.onOutage() == OutagePolicy.LOCAL) {
				counted.add(demand);
			}
			else if (limit.onOutage() == OutagePolicy.DENY && !limit.shadow()) {
				return new Turn(Verdict.refusal(unavailable,
						new RateLimitEvent(limit.name(), Outcome.ERROR_DENIED, Source.LOCAL, null)), 0);
			}
			else {
				events.add(new RateLimitEvent(limit.name(), Outcome.ERROR_ALLOWED, Source.LOCAL, null));
			}
		}
		if (counted.isEmpty()) {
			return new Turn(new Verdict(new RateLimitDecision.Allowed(List.of(), Receipt.ofNothing()), null, events),
					0);
		}
		Turn turn = this.local.decide(counted);
		return new Turn(turn.verdict().with(events), turn.waitNanos());
	}

}
