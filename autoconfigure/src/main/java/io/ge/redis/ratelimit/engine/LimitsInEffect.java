/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitCostException;
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
	List<PermitRequest> inEffect(List<PermitRequest> asked) {
		List<PermitRequest> changed = null;
		for (int i = 0; i < asked.size(); i++) {
			PermitRequest request = asked.get(i);
			RateLimit limit = this.limits.effective(request.limit(), request.key());
			if (limit != request.limit()) {
				if (changed == null) {
					changed = new ArrayList<>(asked);
				}
				changed.set(i, new PermitRequest(limit, request.key(), request.cost()));
			}
			checkCost(limit, request.cost());
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
	@Nullable EngineDecision blocked(List<PermitRequest> asked, List<PermitRequest> requests) {
		List<LimitState> refusals = null;
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			long blocked = request.limit().shadow() ? 0
					: this.limits.blockedFor(asked.get(i).limit(), request.key()).toNanos();
			if (blocked > 0) {
				refusals = (refusals != null) ? refusals : new ArrayList<>(requests.size());
				refusals.add(new LimitState(request, 0, blocked, blocked));
			}
		}
		return (refusals != null) ? EngineDecision.denied(refusals, Source.DENY_CACHE) : null;
	}

}
