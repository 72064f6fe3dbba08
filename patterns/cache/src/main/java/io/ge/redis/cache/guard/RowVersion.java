/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.Date;

import org.jspecify.annotations.Nullable;

/**
 * Versions that the application gives to its rows, as numbers that scripts can compare.
 */
public final class RowVersion {

	/** The largest number up to which all are told apart in scripts. */
	private static final long MOST = 1L << 53;

	private static final long MICROS = 1_000_000;

	private RowVersion() {
	}

	/**
	 * Returns a version as a number.
	 * @param value a whole number, an {@link Instant} or a {@link Date}
	 * @throws IllegalArgumentException if it is nothing of the kind, or negative, or too
	 * large
	 */
	public static long of(Object value, Object what) {
		Long number = number(value);
		if (number == null || number < 0 || number > MOST) {
			throw new IllegalArgumentException(
					what + " evaluated to " + value + ", which is no version: use a whole number from 0 to 2^53");
		}
		return number;
	}

	private static @Nullable Long number(Object value) {
		if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
			return ((Number) value).longValue();
		}
		if (value instanceof Instant instant) {
			boolean countable = Math.abs(instant.getEpochSecond()) < MOST / MICROS;
			return countable ? instant.getEpochSecond() * MICROS + instant.getNano() / 1000 : null;
		}
		if (value instanceof Timestamp timestamp) {
			return number(timestamp.toInstant());
		}
		return (value instanceof Date date) ? number(Instant.ofEpochMilli(date.getTime())) : null;
	}

}
