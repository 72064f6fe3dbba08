/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToLongFunction;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * {@code ge.redis.ratelimit.requests}: decisions of rate limits by limit, outcome and who
 * decided; {@code ge.redis.ratelimit.near_limit} (limit): calls that were allowed and
 * left less than a fifth; {@code ge.redis.ratelimit.keys} (gauge; limit): about how many
 * keys were decided on in the last hour.
 */
public class RateLimitMeters implements GuardListener {

	private static final int SOURCES = RateLimitEvent.Source.values().length;

	private static final int PLACES = RateLimitEvent.Outcome.values().length * SOURCES;

	/** Less than one in so many is near. */
	private static final int NEAR = 5;

	private final MeterRegistry registry;

	private final ToLongFunction<String> distinctKeys;

	private final Map<String, LimitMeters> limits = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param distinctKeys tells the number of keys by the name of the limit
	 */
	public RateLimitMeters(MeterRegistry registry, ToLongFunction<String> distinctKeys) {
		this.registry = registry;
		this.distinctKeys = distinctKeys;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof RateLimitEvent decided) {
			LimitMeters meters = this.limits.get(decided.name());
			((meters != null) ? meters : begin(decided.name())).count(decided);
		}
	}

	// The registry gives the same meters to whoever asks, so two at once do no harm
	private LimitMeters begin(String limit) {
		LimitMeters made = new LimitMeters(limit);
		this.limits.put(limit, made);
		return made;
	}

	/**
	 * The meters of one limit.
	 */
	private final class LimitMeters {

		private final String limit;

		private final AtomicReferenceArray<Counter> requests = new AtomicReferenceArray<>(PLACES);

		private final Counter nearLimit;

		LimitMeters(String limit) {
			this.limit = limit;
			this.nearLimit = Counter.builder("ge.redis.ratelimit.near_limit")
				.description("Allowed calls that left less than 20 % of a limit")
				.tag("limit", limit)
				.register(RateLimitMeters.this.registry);
			Gauge.builder("ge.redis.ratelimit.keys", () -> RateLimitMeters.this.distinctKeys.applyAsLong(limit))
				.description("Estimated number of different keys in the last hour on this instance")
				.tag("limit", limit)
				.register(RateLimitMeters.this.registry);
		}

		void count(RateLimitEvent decided) {
			int place = decided.outcome().ordinal() * SOURCES + decided.source().ordinal();
			Counter counter = this.requests.get(place);
			if (counter == null) {
				counter = newCounter(decided);
				this.requests.set(place, counter);
			}
			counter.increment();
			if (decided.outcome() == RateLimitEvent.Outcome.ALLOWED && isNear(decided.quota())) {
				this.nearLimit.increment();
			}
		}

		private Counter newCounter(RateLimitEvent decided) {
			return Counter.builder("ge.redis.ratelimit.requests")
				.description("Decisions of rate limits")
				.tag("limit", this.limit)
				.tag("outcome", decided.result())
				.tag("source", decided.source().name().toLowerCase(Locale.ROOT))
				.register(RateLimitMeters.this.registry);
		}

	}

	private static boolean isNear(@Nullable Quota quota) {
		return quota != null && quota.remaining() < (quota.limit().largestCost() + NEAR - 1) / NEAR;
	}

}
