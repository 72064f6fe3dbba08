// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The times that clocks and Redis can count with. A longer duration is refused, whether a
 * property, an annotation or code sets it. An instant before 1970 or after 9999 counts as
 * the first or the last of them.
 */
public final class Times {

	/** The longest duration: a hundred years. */
	public static final Duration LONGEST = Duration.ofDays(36_525);

	/** The remedy for a time that is too long. */
	public static final String REMEDY = "Write at most \"" + LONGEST.toDays() + "d\".";

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private Times() {
	}

	public static boolean isTooLong(@Nullable Duration duration) {
		return duration != null && (duration.compareTo(LONGEST) > 0 || duration.compareTo(LONGEST.negated()) < 0);
	}

	/**
	 * Checks a duration that code sets.
	 * @param what names it
	 * @return the duration in milliseconds
	 */
	public static long millis(String what, Duration duration, long least) {
		Assert.isTrue(!isTooLong(duration) && duration.toMillis() >= least,
				() -> what + " must be between " + least + "ms and " + LONGEST.toDays() + " days, but is " + duration);
		return duration.toMillis();
	}

	public static long epochMilli(Instant instant) {
		if (instant.isAfter(LATEST)) {
			return LATEST.toEpochMilli();
		}
		return instant.isBefore(Instant.EPOCH) ? 0 : instant.toEpochMilli();
	}

}
