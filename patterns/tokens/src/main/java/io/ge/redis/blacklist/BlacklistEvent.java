// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import org.jspecify.annotations.Nullable;

/**
 * A token or a subject was checked.
 *
 * @param outcome what came of it
 * @param source who decided
 * @param reason why it was revoked or blocked, as given to
 * {@link TokenBlacklist#withReason}; {@code null} if no reason was given, if this
 * instance does not remember it, or if nothing was refused. No tag of meters
 */
public record BlacklistEvent(String name, Outcome outcome, Source source,
		@Nullable String reason) implements GuardEvent {

	private static final EventMeter CHECKS = EventMeter
		.counter("ge.redis.blacklist.checks", "Checks of tokens and subjects")
		.of("blacklist")
		.by("outcome", Outcome.values())
		.by("source", Source.values());

	private static final int SOURCES = Source.values().length;

	/**
	 * Creates an event without a reason.
	 * @param outcome what came of it
	 * @param source who decided
	 */
	public BlacklistEvent(String name, Outcome outcome, Source source) {
		this(name, outcome, source, null);
	}

	@Override
	public String pattern() {
		return "blacklist";
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return CHECKS;
	}

	@Override
	public int series() {
		return this.outcome.ordinal() * SOURCES + this.source.ordinal();
	}

	/**
	 * The outcome of a check.
	 */
	public enum Outcome {

		/** The token is not revoked, and the subject is not blocked. */
		CLEAR,

		/** The token is not accepted any more, or the subject is blocked. */
		REVOKED,

		/** Redis did not answer; the outage policy decided. */
		ERROR

	}

	/**
	 * The source of a decision.
	 */
	public enum Source {

		/** This instance, without asking Redis. */
		LOCAL,

		/** Redis decided. */
		REDIS

	}

}
