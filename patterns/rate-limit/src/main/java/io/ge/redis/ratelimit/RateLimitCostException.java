// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A call asked for more permits than its limit ever gives at once, so waiting would not
 * help. Or its cost was no number of permits. Over HTTP a 400.
 */
public class RateLimitCostException extends GeRedisException {

	private final boolean tooHigh;

	/**
	 * Creates an exception for a cost that can never pass.
	 * @param message names the limit, the cost and the largest one
	 */
	public RateLimitCostException(String message) {
		this(message, true);
	}

	private RateLimitCostException(String message, boolean tooHigh) {
		super(message);
		this.tooHigh = tooHigh;
	}

	/**
	 * Creates an exception for a cost that is no whole number above or equal to zero.
	 * @param message the message
	 */
	public static RateLimitCostException noWholeNumber(String message) {
		return new RateLimitCostException(message, false);
	}

	/**
	 * Returns whether the cost is a number of permits, but more than the limit ever gives
	 * at once.
	 * @return {@code false} if it is no such number, as {@code null}, a fraction or
	 * something negative
	 */
	public boolean isTooHigh() {
		return this.tooHigh;
	}

	@Override
	public Refusal refusal() {
		return this.tooHigh
				? Refusal.of(400, "cost-too-high", "The request asks for too much",
						"The request asks for more at once than its limit ever gives. Ask for less.")
				: Refusal.of(400, "cost-invalid", "The request asks for no whole amount",
						"The request asks for an amount that is no whole number, zero or more.");
	}

}
