/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.blacklist.refresh.RefreshTokenEvent;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * {@code ge.redis.refresh.rotations}: refresh tokens that were presented, by outcome.
 */
public class RefreshTokenMeters implements GuardListener {

	private final MeterRegistry registry;

	private final Map<RefreshTokenEvent, Counter> counters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 */
	public RefreshTokenMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof RefreshTokenEvent presented) {
			this.counters.computeIfAbsent(presented, this::counter).increment();
		}
	}

	private Counter counter(RefreshTokenEvent presented) {
		return Counter.builder("ge.redis.refresh.rotations")
			.description("Refresh tokens that were presented")
			.tag("outcome", presented.result())
			.register(this.registry);
	}

}
