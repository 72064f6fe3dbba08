/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

import io.ge.redis.cache.behind.WriteBehindEvent;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * {@code ge.redis.cache.behind.pending} (gauge; cache),
 * {@code ge.redis.cache.behind.written}, {@code ge.redis.cache.behind.retried} and
 * {@code ge.redis.cache.behind.dead} (cache), on instances that have the store.
 */
public class WriteBehindMeters implements GuardListener {

	private final MeterRegistry registry;

	private final ToLongFunction<String> pending;

	private final Map<String, Counters> counters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param pending tells how many keys of a cache wait for the store
	 */
	public WriteBehindMeters(MeterRegistry registry, ToLongFunction<String> pending) {
		this.registry = registry;
		this.pending = pending;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof WriteBehindEvent change) {
			Counters counters = counters(change.name());
			if (change instanceof WriteBehindEvent.Written written) {
				counters.written().increment(written.count());
			}
			else if (change instanceof WriteBehindEvent.Retried retried) {
				counters.retried().increment(retried.count());
			}
			else if (change instanceof WriteBehindEvent.Dead dead) {
				counters.dead().increment(dead.count());
			}
		}
	}

	private Counters counters(String cache) {
		Counters known = this.counters.get(cache);
		if (known == null) {
			// Registered twice is registered once
			known = register(cache);
			this.counters.put(cache, known);
		}
		return known;
	}

	private Counters register(String cache) {
		Gauge.builder("ge.redis.cache.behind.pending", () -> this.pending.applyAsLong(cache))
			.description("Keys whose changes wait for the store")
			.tag("cache", cache)
			.register(this.registry);
		return new Counters(
				Counter.builder("ge.redis.cache.behind.written")
					.description("Changes written to the store")
					.tag("cache", cache)
					.register(this.registry),
				Counter.builder("ge.redis.cache.behind.retried")
					.description("Failed writings of changes, tried again")
					.tag("cache", cache)
					.register(this.registry),
				Counter.builder("ge.redis.cache.behind.dead")
					.description("Changes given up, kept as dead letters")
					.tag("cache", cache)
					.register(this.registry));
	}

	private record Counters(Counter written, Counter retried, Counter dead) {
	}

}
