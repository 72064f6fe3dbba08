// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import org.jspecify.annotations.Nullable;

/**
 * Checks of every limit, wherever it is written: in properties, an annotation or code.
 * Each place has its own way to name a setting.
 */
final class RateLimitChecks {

	private static final Duration SHORTEST_WINDOW = Duration.ofMillis(1);

	private static final int BYTES_PER_PERMIT = 10;

	private final UnaryOperator<String> label;

	public RateLimitChecks(UnaryOperator<String> label) {
		this.label = label;
	}

	public void limit(long limit) {
		require(limit > 0, "limit", " must be above zero, but is " + limit + ".",
				"Set it to the number of calls per window, such as 100.");
	}

	public Duration window(@Nullable Duration window) {
		if (window == null) {
			throw new InvalidRateLimitException(name("window") + " is missing.", "Set it to a time such as 10s or 1h.");
		}
		require(window.compareTo(SHORTEST_WINDOW) >= 0 && window.compareTo(RateLimit.LONGEST_WINDOW) <= 0, "window",
				" must be between 1ms and " + RateLimit.LONGEST_WINDOW.toDays() + "d, but is " + window + ".",
				"Set it to a time such as 10s or 1h.");
		return window;
	}

	public void burst(long burst, RateLimitAlgorithm algorithm) {
		require(burst > 0, "burst", " must be above zero, but is " + burst + ".",
				"Set it to the number of calls that are admitted at once after a pause, or leave it out.");
		require(algorithm == RateLimitAlgorithm.TOKEN_BUCKET, "burst",
				" has a meaning for TOKEN_BUCKET only, but the algorithm is " + algorithm + ".",
				"Remove it, or set the algorithm to TOKEN_BUCKET.");
	}

	void waitTime(Duration waitTime) {
		require(!waitTime.isNegative() && waitTime.compareTo(RateLimit.LONGEST_WAIT) <= 0, "waitTime",
				" must be between zero and " + RateLimit.LONGEST_WAIT.toHours() + "h, but is " + waitTime + ".",
				"Set it to a time such as 2s, or leave it out so that calls do not wait.");
	}

	public void exact(RateLimit limit, long largestExactLimit) {
		require(limit.algorithm() != RateLimitAlgorithm.SLIDING_WINDOW || limit.limit() <= largestExactLimit, "limit",
				" is " + limit.limit() + ", too large to be counted exactly: SLIDING_WINDOW needs about "
						+ BYTES_PER_PERMIT + " bytes in Redis for each call of each key.",
				"Set the algorithm to SLIDING_WINDOW_COUNTER, which needs the same memory for any limit, or raise "
						+ "ge.redis.rate-limit.largest-exact-limit, which is " + largestExactLimit + ".");
	}

	/**
	 * Refuses a cost that is known before any call and can never pass.
	 */
	void cost(long cost, RateLimit limit) {
		require(limit.shadow() || cost <= limit.largestCost(), "cost", " is " + cost + " and can never pass: '"
				+ limit.name() + "' never gives more than " + limit.largestCost() + " at once.",
				"Lower the cost, or raise the limit.");
	}

	private void require(boolean fulfilled, String attribute, String problem, String remedy) {
		if (!fulfilled) {
			throw new InvalidRateLimitException(name(attribute) + problem, remedy);
		}
	}

	private String name(String attribute) {
		return this.label.apply(attribute);
	}

}
