/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.settings;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Windows as the users write them, such as {@code 1h} or {@code 90s}: in the largest unit
 * without a fraction.
 */
final class WindowText {

	private static final TimeUnit[] UNITS = { TimeUnit.DAYS, TimeUnit.HOURS, TimeUnit.MINUTES, TimeUnit.SECONDS,
			TimeUnit.MILLISECONDS, TimeUnit.MICROSECONDS };

	private static final String[] SUFFIXES = { "d", "h", "m", "s", "ms", "us" };

	private WindowText() {
	}

	static String of(Duration window) {
		long nanos = window.toNanos();
		for (int i = 0; i < UNITS.length; i++) {
			long unit = UNITS[i].toNanos(1);
			if (nanos % unit == 0) {
				return nanos / unit + SUFFIXES[i];
			}
		}
		return nanos + "ns";
	}

}
