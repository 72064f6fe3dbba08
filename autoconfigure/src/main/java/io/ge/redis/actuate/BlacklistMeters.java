/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * {@code ge.redis.blacklist.checks}: checks of tokens and subjects by blacklist, outcome
 * and who decided.
 */
public class BlacklistMeters implements GuardListener {

	private final MeterRegistry registry;

	private final Map<BlacklistEvent, Counter> counters = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 */
	public BlacklistMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof BlacklistEvent checked) {
			this.counters.computeIfAbsent(withoutReason(checked), this::counter).increment();
		}
	}

	// There may be any number of them
	private static BlacklistEvent withoutReason(BlacklistEvent checked) {
		return (checked.reason() == null) ? checked
				: new BlacklistEvent(checked.name(), checked.outcome(), checked.source());
	}

	private Counter counter(BlacklistEvent checked) {
		return Counter.builder("ge.redis.blacklist.checks")
			.description("Checks of tokens and subjects")
			.tag("blacklist", checked.name())
			.tag("outcome", checked.result())
			.tag("source", checked.source().name().toLowerCase(Locale.ROOT))
			.register(this.registry);
	}

}
