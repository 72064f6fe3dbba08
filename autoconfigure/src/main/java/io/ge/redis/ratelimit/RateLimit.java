/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.util.Assert;

/**
 * The settings of one limit.
 *
 * @param name the name; part of the key in Redis
 * @param limit calls per window, above zero
 * @param window length of the window, at least a millisecond
 * @param algorithm how permits are counted
 * @param burst calls admitted at once after a pause; equal to the limit except for
 * {@link RateLimitAlgorithm#TOKEN_BUCKET}
 * @param onOutage what happens while Redis is away
 */
public record RateLimit(String name, long limit, Duration window, RateLimitAlgorithm algorithm, long burst,
		OutagePolicy onOutage) {

	/** Largest number that Lua's doubles count exactly, in microseconds: 31 years. */
	private static final Duration LONGEST_WINDOW = Duration.ofDays(31 * 366);

	public RateLimit {
		Assert.hasText(name, "the name must not be blank.");
		Assert.isTrue(limit > 0, () -> "the limit must be above zero, but is " + limit + ".");
		Assert.isTrue(window.toMillis() > 0 && window.compareTo(LONGEST_WINDOW) <= 0,
				() -> "the window must be between 1ms and " + LONGEST_WINDOW.toDays() + " days, but is " + window
						+ ".");
		Assert.isTrue(burst > 0, () -> "the burst must be above zero, but is " + burst + ".");
		Assert.isTrue(algorithm == RateLimitAlgorithm.TOKEN_BUCKET || burst == limit,
				"a burst has a meaning for TOKEN_BUCKET only.");
		Assert.isTrue(onOutage != OutagePolicy.DEFAULT, "the outage policy must be ALLOW, DENY or LOCAL.");
	}

	/**
	 * Creates an exact limit that is enforced locally while Redis is away.
	 * @param name the name
	 * @param limit calls per window
	 * @param window length of the window
	 * @return the limit
	 */
	public static RateLimit of(String name, long limit, Duration window) {
		return new RateLimit(name, limit, window, RateLimitAlgorithm.SLIDING_WINDOW, limit, OutagePolicy.LOCAL);
	}

	/**
	 * Returns this limit as the share of one instance.
	 * @param instances the number of instances
	 * @return limit and burst divided, rounded down, at least one
	 */
	RateLimit dividedBy(int instances) {
		return new RateLimit(this.name, Math.max(1, this.limit / instances), this.window, this.algorithm,
				Math.max(1, this.burst / instances), this.onOutage);
	}

	long windowMicros() {
		return this.window.toNanos() / 1000;
	}

	/**
	 * Returns the time between two permits of a token bucket.
	 * @return microseconds, rounded up
	 */
	long intervalMicros() {
		return -Math.floorDiv(-windowMicros(), this.limit);
	}

}
