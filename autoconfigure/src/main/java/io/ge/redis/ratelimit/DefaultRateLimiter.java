/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.Waiting;

/**
 * The synchronous flavour: waits for the engine and tells of its decision on the thread
 * of the caller.
 */
final class DefaultRateLimiter implements RateLimiter {

	private final RateLimits limits;

	private final RateLimitEngine engine;

	private final GuardEvents events;

	DefaultRateLimiter(RateLimits limits, RateLimitEngine engine, GuardEvents events) {
		this.limits = limits;
		this.engine = engine;
		this.events = events;
	}

	@Override
	public RateLimitDecision tryAcquire(RateLimitRequest request) {
		List<Demand> demands = new ArrayList<>(request.entries().size());
		for (RateLimitRequest.Entry entry : request.entries()) {
			List<String> parts = KeyText.of(entry.key(), "The key of rate limit '" + entry.name() + "'");
			for (RateLimit limit : this.limits.get(entry.name())) {
				add(demands, new Demand(limit, parts, request.cost()));
			}
		}
		return decide(demands);
	}

	@Override
	public RateLimitDecision tryAcquire(List<RateLimit> limits, Object key) {
		if (limits.isEmpty()) {
			throw new IllegalArgumentException("A decision needs at least one limit");
		}
		List<String> parts = KeyText.of(key, "The key of rate limit '" + limits.get(0).name() + "'");
		List<Demand> demands = new ArrayList<>(limits.size());
		for (RateLimit limit : limits) {
			add(demands, new Demand(this.limits.admit(limit), parts, 1));
		}
		return decide(demands);
	}

	@Override
	public void refund(RateLimitDecision.Allowed allowed) {
		throw new UnsupportedOperationException("refund");
	}

	@Override
	public void reset(String name, Object key) {
		throw new UnsupportedOperationException("reset");
	}

	// Twice the same state in one decision would be asked once and charged twice
	private static void add(List<Demand> demands, Demand demand) {
		for (Demand other : demands) {
			if (other.limit().name().equals(demand.limit().name()) && other.key().equals(demand.key())) {
				throw new IllegalArgumentException(
						"The rate limit '" + demand.limit().name() + "' is named twice for the same key");
			}
		}
		demands.add(demand);
	}

	RateLimitDecision decide(List<Demand> demands) {
		Verdict verdict = Waiting.await(this.engine.decide(demands));
		verdict.events().forEach(this.events::publish);
		return verdict.orRefuse();
	}

}
