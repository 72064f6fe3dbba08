/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockReleaseEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * {@code ge.redis.lock.acquire} (timer; lock, outcome), {@code ge.redis.lock.hold}
 * (timer; lock), {@code ge.redis.lock.lost} (counter; lock) and
 * {@code ge.redis.lock.waiters} (gauge; calls of this instance that wait for a lock).
 */
public class LockMeters implements GuardListener {

	private final MeterRegistry registry;

	private final Map<Attempt, Timer> attempts = new ConcurrentHashMap<>();

	private final Map<String, Timer> holds = new ConcurrentHashMap<>();

	private final Map<String, Counter> losses = new ConcurrentHashMap<>();

	/**
	 * Creates the meters.
	 * @param registry where they are registered
	 * @param waiters the number of calls that wait
	 */
	public LockMeters(MeterRegistry registry, IntSupplier waiters) {
		this.registry = registry;
		Gauge.builder("ge.redis.lock.waiters", waiters::getAsInt)
			.description("Calls of this instance that wait for a lock")
			.register(registry);
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof LockAcquireEvent attempt) {
			this.attempts.computeIfAbsent(new Attempt(attempt.name(), attempt.result()), this::attemptTimer)
				.record(attempt.waited());
		}
		else if (event instanceof LockReleaseEvent release) {
			this.holds.computeIfAbsent(release.name(), this::holdTimer).record(release.held());
		}
		else if (event instanceof LockLostEvent) {
			this.losses.computeIfAbsent(event.name(), this::lossCounter).increment();
		}
	}

	private Timer attemptTimer(Attempt key) {
		return Timer.builder("ge.redis.lock.acquire")
			.description("Attempts to take locks, waits included")
			.tag("lock", key.lock())
			.tag("outcome", key.outcome())
			.register(this.registry);
	}

	private Timer holdTimer(String lock) {
		return Timer.builder("ge.redis.lock.hold")
			.description("Time for which locks were held")
			.tag("lock", lock)
			.register(this.registry);
	}

	private Counter lossCounter(String lock) {
		return Counter.builder("ge.redis.lock.lost")
			.description("Locks lost while their holders were at work")
			.tag("lock", lock)
			.register(this.registry);
	}

	private record Attempt(String lock, String outcome) {
	}

}
