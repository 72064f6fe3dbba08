/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * {@code ge.redis.cache.gets} (cache, result, tier), {@code ge.redis.cache.loads} (timer;
 * cache, outcome), {@code ge.redis.cache.writes} (cache, outcome) and
 * {@code ge.redis.cache.unreadable} (cache).
 */
public class CacheMeters implements GuardListener {

	private final MeterRegistry registry;

	private final Map<CacheEvent, Counter> counters = new ConcurrentHashMap<>();

	private final Map<LoadKey, Timer> timers = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 */
	public CacheMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof CacheEvent.Load load) {
			this.timers.computeIfAbsent(new LoadKey(load.name(), load.succeeded()), this::timer)
				.record(load.nanos(), TimeUnit.NANOSECONDS);
		}
		else if (event instanceof CacheEvent counted) {
			// The other events have no content but their tags
			Counter known = this.counters.get(counted);
			((known != null) ? known : this.counters.computeIfAbsent(counted, this::counter)).increment();
		}
	}

	private Counter counter(CacheEvent event) {
		if (event instanceof CacheEvent.Read read) {
			return Counter.builder("ge.redis.cache.gets")
				.description("Calls of readers")
				.tag("cache", read.name())
				.tag("result", read.result())
				.tag("tier", read.tier().name().toLowerCase(Locale.ROOT))
				.register(this.registry);
		}
		if (event instanceof CacheEvent.Write write) {
			return Counter.builder("ge.redis.cache.writes")
				.description("Writers by what became of the entry")
				.tag("cache", write.name())
				.tag("outcome", write.result())
				.register(this.registry);
		}
		return Counter.builder("ge.redis.cache.unreadable")
			.description("Values of another format or type, replaced")
			.tag("cache", event.name())
			.register(this.registry);
	}

	private Timer timer(LoadKey key) {
		return Timer.builder("ge.redis.cache.loads")
			.description("Loading of values")
			.tag("cache", key.cache())
			.tag("outcome", key.succeeded() ? "success" : "error")
			.register(this.registry);
	}

	private record LoadKey(String cache, boolean succeeded) {
	}

}
