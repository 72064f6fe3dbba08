// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * A refresh token was presented.
 *
 * @param outcome what came of it
 */
public record RefreshTokenEvent(Outcome outcome) implements GuardEvent {

	private static final EventMeter ROTATIONS = EventMeter
		.counter("ge.redis.refresh.rotations", "Refresh tokens that were presented")
		.by("outcome", Outcome.values());

	/** There is one set of refresh tokens. */
	private static final String NAME = "refresh-tokens";

	@Override
	public String pattern() {
		return "refresh";
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return ROTATIONS;
	}

	@Override
	public int series() {
		return this.outcome.ordinal();
	}

	/**
	 * The outcome.
	 */
	public enum Outcome {

		/** It was used for the first time and replaced. */
		ROTATED,

		/** It was used a moment ago, and the latest token was given. */
		REPEATED,

		/** It was used before: its session was ended, now or earlier. */
		REUSED,

		/** Its session was ended by a logout or by the blacklist. */
		REVOKED,

		/** There is no such token. */
		UNKNOWN,

		/** Redis did not answer. */
		ERROR

	}

}
