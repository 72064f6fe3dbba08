/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.Locale;

import io.ge.redis.core.event.GuardEvent;
import org.jspecify.annotations.Nullable;

/**
 * One limit took part in a decision.
 *
 * @param name the limit's name
 * @param outcome what it said
 * @param source who decided
 * @param quota where it stands, or {@code null} if nobody counted
 */
public record RateLimitEvent(String name, Outcome outcome, Source source, @Nullable Quota quota) implements GuardEvent {

	@Override
	public String pattern() {
		return "ratelimit";
	}

	@Override
	public String result() {
		return this.outcome.text;
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

		/** Redis is away and the policy lets the call through uncounted. */
		ERROR_ALLOWED,

		/** Redis is away and the policy refuses the call. */
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

		/** A permit that this instance took in advance. */
		LEASE,

		/** This instance, while Redis is away. */
		LOCAL

	}

}
