// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * A call of an idempotent operation has ended or was refused. One for each call with a
 * key.
 *
 * @param name the operation's name
 * @param outcome the outcome of the call
 */
public record IdempotencyEvent(String name, Outcome outcome) implements GuardEvent {

	private static final EventMeter REQUESTS = EventMeter
		.counter("ge.redis.idempotency.requests", "Calls of idempotent operations")
		.of("operation")
		.by("outcome", Outcome.values());

	@Override
	public String pattern() {
		return "idempotency";
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return REQUESTS;
	}

	@Override
	public int series() {
		return this.outcome.ordinal();
	}

	/**
	 * The outcome of a call.
	 */
	public enum Outcome {

		/** The method ran and its result is stored. */
		EXECUTED,

		/** The first result was replayed. */
		REPLAYED,

		/** Refused: the first call still runs. */
		IN_FLIGHT,

		/** Refused: the key was used with another payload. */
		MISMATCH,

		/**
		 * The call failed and may have changed something, or was refused because an
		 * earlier one did so.
		 */
		UNKNOWN,

		/** The call failed without changing anything, and the key is free again. */
		RELEASED,

		/** The method ran, but its claim was taken over before it ended. */
		LEASE_LOST,

		/**
		 * Redis is unavailable and the policy applied, or the first result was not kept.
		 */
		ERROR

	}

}
