/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.ratelimit.RateLimitEvent;
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
	 * @param requests its requests
	 * @param failure the outage
	 */
	EngineDecision decide(List<PermitRequest> requests, @Nullable Throwable failure) {
		Throwable cause = (failure != null) ? Waiting.cause(failure) : null;
		if (!(cause instanceof RedisUnavailableException unavailable)) {
			throw new IllegalStateException("The decision failed", cause);
		}
		List<RateLimitEvent> events = new ArrayList<>(requests.size());
		List<PermitRequest> counted = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			RateLimit limit = request.limit();
			if (limit.onOutage() == OutagePolicy.LOCAL) {
				counted.add(request);
			}
			else if (limit.onOutage() == OutagePolicy.DENY && !limit.shadow()) {
				return EngineDecision.refusal(unavailable,
						new RateLimitEvent(limit.name(), Outcome.ERROR_DENIED, Source.LOCAL, null));
			}
			else {
				events.add(new RateLimitEvent(limit.name(), Outcome.ERROR_ALLOWED, Source.LOCAL, null));
			}
		}
		return counted.isEmpty() ? EngineDecision.unlimited(events) : this.local.decide(counted).with(events);
	}

}
