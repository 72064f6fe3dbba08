/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

/**
 * What a decision took, to be given back at most once.
 */
public interface RateLimitReceipt {

	/**
	 * Returns how many permits of each limit were taken.
	 * @return the number, zero if nobody counted
	 */
	long permits();

}
