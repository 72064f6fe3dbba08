/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * {@code ge.redis.idempotency.requests}: calls with a key by operation and outcome.
 */
public class IdempotencyMeters implements GuardListener {

	private final MeterRegistry registry;

	private final Map<IdempotencyEvent, Counter> counters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 */
	public IdempotencyMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof IdempotencyEvent ended) {
			this.counters.computeIfAbsent(ended, this::counter).increment();
		}
	}

	private Counter counter(IdempotencyEvent event) {
		return Counter.builder("ge.redis.idempotency.requests")
			.description("Calls of idempotent operations")
			.tag("operation", event.name())
			.tag("outcome", event.result())
			.register(this.registry);
	}

}
