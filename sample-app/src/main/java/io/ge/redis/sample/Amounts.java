// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * Amounts of anything the desk trades. They are read from JSON strings or numbers, and
 * written as strings, because many clients read JSON numbers as binary fractions.
 */
public final class Amounts {

	/** Digits after the point, the most that a column of {@code schema.sql} holds. */
	private static final int SCALE = 10;

	/** Digits before the point, so that sums of amounts fit into the columns. */
	private static final int INTEGER_DIGITS = 18;

	private Amounts() {
	}

	/**
	 * Refuses what the columns cannot hold. Thrown while a request body is read, the
	 * exception ends in 400.
	 * @param amount the amount of a request
	 * @return the same amount
	 * @throws IllegalArgumentException if there is none, or if it has too many digits
	 */
	public static BigDecimal require(@Nullable BigDecimal amount) {
		if (amount == null) {
			throw new IllegalArgumentException("An amount is missing");
		}
		if (amount.scale() > SCALE || (long) amount.precision() - amount.scale() > INTEGER_DIGITS) {
			throw new IllegalArgumentException(
					"At most " + INTEGER_DIGITS + " digits before and " + SCALE + " digits after the decimal point");
		}
		return amount;
	}

	/**
	 * Writes an amount without trailing zeros and without an exponent.
	 * @param amount the amount
	 * @return text such as {@code 101.5}
	 */
	public static String text(BigDecimal amount) {
		return amount.stripTrailingZeros().toPlainString();
	}

}
