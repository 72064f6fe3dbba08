/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

/**
 * How permits are counted.
 */
public enum RateLimitAlgorithm {

	/**
	 * Exact: in no window of the given length are more than {@code limit} calls admitted.
	 * Memory in Redis grows with the limit, about 10 bytes for each admitted call.
	 */
	SLIDING_WINDOW,

	/**
	 * GCRA: {@code limit} calls per window on average, up to {@code burst} at once. In
	 * any time {@code t} at most {@code burst + limit * t / window} calls are admitted,
	 * so up to twice the limit in one window after a pause if the burst equals the limit.
	 * One integer in Redis. The interval between permits is rounded up to a microsecond.
	 */
	TOKEN_BUCKET

}
