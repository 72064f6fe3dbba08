/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * Puts the settings that apply now in the place of those that were defined.
 */
final class LimitsInEffect {

	private final EffectiveLimits limits;

	LimitsInEffect(EffectiveLimits limits) {
		this.limits = limits;
	}

	/**
	 * Returns what a call wants by the settings that apply now.
	 * @throws RateLimitCostException if it can never pass
	 */
	List<Demand> inEffect(List<Demand> asked) {
		List<Demand> changed = null;
		for (int i = 0; i < asked.size(); i++) {
			Demand demand = asked.get(i);
			RateLimit limit = this.limits.effective(demand.limit(), demand.key());
			if (limit != demand.limit()) {
				if (changed == null) {
					changed = new ArrayList<>(asked);
				}
				changed.set(i, new Demand(limit, demand.key(), demand.cost()));
			}
			checkCost(limit, demand.cost());
		}
		return (changed != null) ? changed : asked;
	}

	private static void checkCost(RateLimit limit, long cost) {
		if (cost < 0) {
			throw RateLimitCostException
				.noWholeNumber("A cost of " + cost + " for rate limit '" + limit.name() + "' must not be negative");
		}
		if (cost > limit.largestCost() && !limit.shadow()) {
			throw new RateLimitCostException("A cost of " + cost + " can never pass rate limit '" + limit.name()
					+ "', which gives " + limit.largestCost() + " permits at once at most");
		}
	}

	/**
	 * Refuses a call of whom an operator has blocked.
	 * @return the refusal, or {@code null} if nobody is blocked
	 */
	@Nullable Verdict blocked(List<Demand> asked, List<Demand> demands) {
		List<Standing> refusals = null;
		for (int i = 0; i < demands.size(); i++) {
			Demand demand = demands.get(i);
			long blocked = demand.limit().shadow() ? 0
					: this.limits.blockedFor(asked.get(i).limit(), demand.key()).toNanos();
			if (blocked > 0) {
				refusals = (refusals != null) ? refusals : new ArrayList<>(demands.size());
				refusals.add(new Standing(demand, 0, blocked, blocked));
			}
		}
		return (refusals != null) ? Verdict.denied(refusals, Source.DENY_CACHE) : null;
	}

}
