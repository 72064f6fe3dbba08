// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import org.jspecify.annotations.Nullable;

/**
 * One limit took part in a decision.
 *
 * @param name the limit's name
 * @param outcome its outcome
 * @param source who decided
 * @param quota its state, or {@code null} if nothing was counted
 */
public record RateLimitEvent(String name, Outcome outcome, Source source, @Nullable Quota quota) implements GuardEvent {

	/**
	 * Allowed calls that left less than a fifth.
	 */
	private static final EventMeter NEAR_LIMIT = EventMeter
		.counter("ge.redis.ratelimit.near_limit", "Allowed calls that left less than 20 % of a limit")
		.of("limit");

	/**
	 * {@code ge.redis.ratelimit.requests}: decisions by limit, outcome and source.
	 */
	public static final EventMeter REQUESTS = EventMeter
		.counter("ge.redis.ratelimit.requests", "Decisions of rate limits")
		.of("limit")
		.by("outcome", Outcome.values())
		.by("source", Source.values())
		.with(NEAR_LIMIT);

	private static final int SOURCES = Source.values().length;

	/** Less than one in so many is near. */
	private static final int NEAR = 5;

	@Override
	public String pattern() {
		return "ratelimit";
	}

	@Override
	public String result() {
		return this.outcome.text;
	}

	@Override
	public EventMeter meter() {
		return REQUESTS;
	}

	@Override
	public int series() {
		return this.outcome.ordinal() * SOURCES + this.source.ordinal();
	}

	@Override
	public @Nullable EventMeter secondMeter() {
		return (this.outcome == Outcome.ALLOWED && isNear(this.quota)) ? NEAR_LIMIT : null;
	}

	private static boolean isNear(@Nullable Quota quota) {
		return quota != null && quota.remaining() < (quota.limit().largestCost() + NEAR - 1) / NEAR;
	}

	/**
	 * The outcome of a decision.
	 */
	public enum Outcome {

		/** The call proceeds and is counted. */
		ALLOWED,

		/** The call is refused. */
		DENIED,

		/** The call would have been refused, were the limit no trial. */
		SHADOW_DENIED,

		/** Redis is unavailable and the policy lets the call through uncounted. */
		ERROR_ALLOWED,

		/** Redis is unavailable and the policy refuses the call. */
		ERROR_DENIED;

		/** Made once, since it is asked for with each decision. */
		private final String text = name().toLowerCase(Locale.ROOT);

	}

	/**
	 * The source of a decision.
	 */
	public enum Source {

		/** The script in Redis. */
		REDIS,

		/** An earlier refusal by Redis that must still hold. */
		DENY_CACHE,

		/** This instance, while Redis is unavailable. */
		LOCAL

	}

}
