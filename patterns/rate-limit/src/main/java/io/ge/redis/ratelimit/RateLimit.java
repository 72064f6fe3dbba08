// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.time.Duration;

import io.ge.redis.core.outage.OutagePolicy;

import org.springframework.util.Assert;

import static io.ge.redis.core.invocation.InvalidSettingException.require;

/**
 * The settings of one limit. Begin with {@link #of(String, long, Duration)} and change
 * what should differ:
 * {@code RateLimit.of("mail", 100, Duration.ofHours(1)).withWaitTime(Duration.ofSeconds(1))}.
 *
 * @param name the name; part of the key in Redis
 * @param limit permits per window, above zero
 * @param window length of the window, at least a millisecond
 * @param algorithm how permits are counted
 * @param burst permits given at once after a pause; equal to the limit except for
 * {@link RateLimitAlgorithm#TOKEN_BUCKET}
 * @param waitTime longest time that a call waits for permits, zero for not at all
 * @param onOutage what happens while Redis is unavailable
 * @param shadow whether the limit only counts and reports, and never refuses
 */
public record RateLimit(String name, long limit, Duration window, RateLimitAlgorithm algorithm, long burst,
		Duration waitTime, OutagePolicy onOutage, boolean shadow) {

	/** Largest number that Lua's doubles count exactly, in microseconds: 31 years. */
	public static final Duration LONGEST_WINDOW = Duration.ofDays(31 * 366);

	private static final Duration SHORTEST_WINDOW = Duration.ofMillis(1);

	/** No permit is reserved farther ahead. */
	public static final Duration LONGEST_WAIT = Duration.ofHours(1);

	/** The capacity of a sub-window of the counter: four bytes. */
	private static final long LARGEST_COUNT = 0xFFFF_FFFFL;

	public RateLimit {
		Assert.hasText(name, "the name must not be blank.");
		boolean bucket = algorithm == RateLimitAlgorithm.TOKEN_BUCKET;
		require(limit > 0, "limit", () -> "must be above zero, but is " + limit + ".",
				"Set it to the number of calls per window, such as 100.");
		require(window.compareTo(SHORTEST_WINDOW) >= 0 && window.compareTo(LONGEST_WINDOW) <= 0, "window",
				() -> "must be between 1ms and " + LONGEST_WINDOW.toDays() + "d, but is " + window + ".",
				"Set it to a time such as 10s or 1h.");
		require(burst > 0, "burst", () -> "must be above zero, but is " + burst + ".",
				"Set it to the number of calls that are admitted at once after a pause, or leave it out.");
		require(bucket || burst == limit, "burst",
				() -> "has a meaning for TOKEN_BUCKET only, but the algorithm is " + algorithm + ".",
				"Remove it, or set the algorithm to TOKEN_BUCKET.");
		require(bucket || limit <= LARGEST_COUNT, "limit",
				() -> "must be at most " + LARGEST_COUNT + " for " + algorithm + ", but is " + limit + ".",
				"Lower it, or set the algorithm to TOKEN_BUCKET.");
		require(!bucket || limit <= window.toNanos() / 1000, "limit",
				() -> "is " + limit + " per " + window + ", but TOKEN_BUCKET gives at most one permit per microsecond.",
				"Lower the limit.");
		require(!bucket || fillsInTime(burst, limit, window), "burst", () -> "is " + burst + ", and a bucket that gets "
				+ limit + " per " + window + " takes longer to fill than " + LONGEST_WINDOW.toDays() + " days.",
				"Lower the burst.");
		require(!waitTime.isNegative() && waitTime.compareTo(LONGEST_WAIT) <= 0, "waitTime",
				() -> "must be between zero and " + LONGEST_WAIT.toHours() + "h, but is " + waitTime + ".",
				"Set it to a time such as 2s, or leave it out so that calls do not wait.");
		Assert.isTrue(onOutage != OutagePolicy.DEFAULT, "the outage policy must be ALLOW, DENY or LOCAL.");
	}

	// Redis counts the time until then in whole microseconds
	private static boolean fillsInTime(long burst, long limit, Duration window) {
		return burst <= LONGEST_WINDOW.toNanos() / 1000 / intervalMicros(limit, window);
	}

	/**
	 * Creates an exact limit that is enforced locally while Redis is unavailable.
	 * @param name the name
	 * @param limit permits per window
	 * @param window length of the window
	 */
	public static RateLimit of(String name, long limit, Duration window) {
		return new RateLimit(name, limit, window, RateLimitAlgorithm.SLIDING_WINDOW, limit, Duration.ZERO,
				OutagePolicy.LOCAL, false);
	}

	/**
	 * Returns this limit with another number of permits per window, and a burst of as
	 * many unless it had one of its own.
	 */
	public RateLimit withLimit(long limit) {
		long burst = (this.burst == this.limit) ? limit : this.burst;
		return new RateLimit(this.name, limit, this.window, this.algorithm, burst, this.waitTime, this.onOutage,
				this.shadow);
	}

	/**
	 * Returns this limit with another window.
	 */
	public RateLimit withWindow(Duration window) {
		return new RateLimit(this.name, this.limit, window, this.algorithm, this.burst, this.waitTime, this.onOutage,
				this.shadow);
	}

	/**
	 * Returns this limit counted in another way, with a burst of as many as the limit.
	 */
	public RateLimit withAlgorithm(RateLimitAlgorithm algorithm) {
		return new RateLimit(this.name, this.limit, this.window, algorithm, this.limit, this.waitTime, this.onOutage,
				this.shadow);
	}

	/**
	 * Returns this limit with another burst, for {@link RateLimitAlgorithm#TOKEN_BUCKET}.
	 * @param burst permits given at once after a pause
	 */
	public RateLimit withBurst(long burst) {
		return new RateLimit(this.name, this.limit, this.window, this.algorithm, burst, this.waitTime, this.onOutage,
				this.shadow);
	}

	/**
	 * Returns this limit with a wait.
	 */
	public RateLimit withWaitTime(Duration waitTime) {
		return new RateLimit(this.name, this.limit, this.window, this.algorithm, this.burst, waitTime, this.onOutage,
				this.shadow);
	}

	/**
	 * Returns this limit with another outage policy.
	 */
	public RateLimit withOnOutage(OutagePolicy onOutage) {
		return new RateLimit(this.name, this.limit, this.window, this.algorithm, this.burst, this.waitTime, onOutage,
				this.shadow);
	}

	/**
	 * Returns this limit as one that is enforced or not.
	 */
	public RateLimit withShadow(boolean shadow) {
		return new RateLimit(this.name, this.limit, this.window, this.algorithm, this.burst, this.waitTime,
				this.onOutage, shadow);
	}

	/**
	 * Returns the largest cost that can ever pass.
	 * @return the burst of a bucket, else the limit
	 */
	public long largestCost() {
		return this.burst;
	}

	/**
	 * Returns this limit as the share of one instance.
	 * @param instances the number of instances
	 * @return limit and burst divided, rounded down, at least one
	 */
	public RateLimit dividedBy(int instances) {
		return new RateLimit(this.name, Math.max(1, this.limit / instances), this.window, this.algorithm,
				Math.max(1, this.burst / instances), this.waitTime, this.onOutage, this.shadow);
	}

	/**
	 * Returns the window in microseconds.
	 */
	public long windowMicros() {
		return this.window.toNanos() / 1000;
	}

	/**
	 * Returns the time between two permits of a token bucket.
	 * @return microseconds, rounded up
	 */
	public long intervalMicros() {
		return intervalMicros(this.limit, this.window);
	}

	private static long intervalMicros(long limit, Duration window) {
		return -Math.floorDiv(-(window.toNanos() / 1000), limit);
	}

}
