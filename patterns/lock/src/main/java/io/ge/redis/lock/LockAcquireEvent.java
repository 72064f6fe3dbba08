// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Locale;

import io.ge.redis.core.event.EventMeter;

/**
 * A call asked for a lock. Nested entries do not ask.
 *
 * @param name the name of the lock
 * @param outcome the outcome
 * @param waited how long the call waited for that, everything included
 */
public record LockAcquireEvent(String name, Outcome outcome, Duration waited) implements LockEvent {

	private static final EventMeter ACQUIRE = EventMeter
		.timer("ge.redis.lock.acquire", "Attempts to take locks, waits included")
		.of("lock")
		.by("outcome", Outcome.values());

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return ACQUIRE;
	}

	@Override
	public int series() {
		return this.outcome.ordinal();
	}

	@Override
	public long amount() {
		return this.waited.toNanos();
	}

	/**
	 * The outcome of an attempt.
	 */
	public enum Outcome {

		/** The lock is held. */
		ACQUIRED,

		/** Another holds the lock. */
		NOT_ACQUIRED,

		/** Redis did not decide. */
		ERROR

	}

}
