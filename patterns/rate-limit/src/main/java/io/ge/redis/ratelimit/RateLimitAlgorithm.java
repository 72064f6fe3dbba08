// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

/**
 * Algorithm that counts permits.
 */
public enum RateLimitAlgorithm {

	/**
	 * Exact: in no window of the given length are more than {@code limit} calls admitted.
	 * Memory in Redis grows with the limit, about 10 bytes for each admitted call.
	 */
	SLIDING_WINDOW,

	/**
	 * Ten sub-windows. No window of the given length ever holds more than {@code limit}
	 * calls. Under steady load it admits up to one eleventh less than the limit. Memory
	 * does not depend on the limit: for large limits.
	 */
	SLIDING_WINDOW_COUNTER,

	/**
	 * GCRA: {@code limit} calls per window on average, up to {@code burst} at once. In
	 * any time {@code t} at most {@code burst + limit * t / window} calls are admitted.
	 * So one window after a pause can have twice the limit, if the burst equals the
	 * limit. One integer in Redis. The interval between permits is rounded up to a
	 * microsecond.
	 */
	TOKEN_BUCKET,

	/**
	 * For quotas: {@code limit} calls per window of the server's clock, such as each full
	 * hour in UTC. Up to twice the limit is admitted around the edge of two windows.
	 */
	FIXED_WINDOW

}
