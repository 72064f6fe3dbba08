/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * {@code ge.redis.ratelimit.requests}: decisions of rate limits by limit, outcome and who
 * decided.
 */
public class RateLimitMeters implements GuardListener {

	private final MeterRegistry registry;

	private final Map<Key, Counter> counters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 */
	public RateLimitMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof RateLimitEvent decided) {
			this.counters.computeIfAbsent(new Key(decided.name(), decided.outcome(), decided.source()), this::counter)
				.increment();
		}
	}

	private Counter counter(Key key) {
		return Counter.builder("ge.redis.ratelimit.requests")
			.description("Decisions of rate limits")
			.tag("limit", key.limit())
			.tag("outcome", key.outcome().name().toLowerCase(Locale.ROOT))
			.tag("source", key.source().name().toLowerCase(Locale.ROOT))
			.register(this.registry);
	}

	private record Key(String limit, RateLimitEvent.Outcome outcome, RateLimitEvent.Source source) {
	}

}
