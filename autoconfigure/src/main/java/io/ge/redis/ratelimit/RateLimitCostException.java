/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import io.ge.redis.GeRedisException;

/**
 * A call asked for more permits than its limit ever gives at once, so that no waiting
 * would help, or for a number of permits that is none. Over HTTP a 400.
 */
public class RateLimitCostException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param message names the limit, the cost and the largest one
	 */
	public RateLimitCostException(String message) {
		super(message);
	}

}
