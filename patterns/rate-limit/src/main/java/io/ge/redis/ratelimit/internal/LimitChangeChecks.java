// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChange;
import io.ge.redis.ratelimit.RateLimitChangeException;

/**
 * Checks of changes that an operator asks for while the application runs. Everything else
 * is refused, with the setting that is wrong and what to write instead.
 */
final class LimitChangeChecks {

	private static final Duration SHORTEST_BLOCK = Duration.ofMillis(1);

	private static final Duration LONGEST_BLOCK = Duration.ofDays(366);

	private static final int LONGEST_KEY = 1_000;

	private LimitChangeChecks() {
	}

	public static void change(RateLimit base, RateLimitChange change, long largestExact) {
		require(!change.isEmpty(), "limit", "nothing is to be changed.",
				"Set limit, window or burst, or an action: reset, refund, block or unblock.");
		RateLimitChecks checks = new RateLimitChecks((attribute) -> attribute);
		Long limit = change.limit();
		if (limit != null) {
			check("limit", () -> checks.limit(limit));
		}
		if (change.window() != null) {
			check("window", () -> checks.window(change.window()));
		}
		Long burst = change.burst();
		if (burst != null) {
			check("burst", () -> checks.burst(burst, base.algorithm()));
		}
		check((limit != null) ? "limit" : "window", () -> checks.exact(change.applyTo(base), largestExact));
	}

	private static void check(String setting, Runnable check) {
		try {
			check.run();
		}
		catch (InvalidRateLimitException ex) {
			throw new RateLimitChangeException(setting, ex.problem(), ex.remedy());
		}
		catch (IllegalArgumentException ex) {
			throw new RateLimitChangeException(setting, setting + ": " + ex.getMessage(),
					"Set another " + setting + ".");
		}
	}

	public static void block(Duration duration) {
		require(duration.compareTo(SHORTEST_BLOCK) >= 0 && duration.compareTo(LONGEST_BLOCK) <= 0, "duration",
				"duration must be between 1ms and " + LONGEST_BLOCK.toDays() + "d, but is " + duration + ".",
				"Set it to a time such as 10m.");
	}

	public static void refund(long permits) {
		require(permits > 0, "permits", "permits must be above zero, but is " + permits + ".",
				"Set it to the number of permits to refund, such as 1.");
	}

	private static void require(boolean fulfilled, String setting, String problem, String remedy) {
		if (!fulfilled) {
			throw new RateLimitChangeException(setting, problem, remedy);
		}
	}

	public static String keyText(List<String> key) {
		String text = LiveLimit.text(key);
		require(text.length() <= LONGEST_KEY, "key",
				"key is longer than " + LONGEST_KEY + " characters, which no setting can be for.",
				"Change the limit for all keys.");
		return text;
	}

	public static void requireRoom(boolean written) {
		require(written, "key", "there are " + RedisLimitChanges.CAPACITY + " live changes and blocks already.",
				"Revert some of them, or write them into the properties under overrides.");
	}

}
