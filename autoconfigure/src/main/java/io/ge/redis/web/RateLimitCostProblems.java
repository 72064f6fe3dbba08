/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.ratelimit.RateLimitCostException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 400 where a request asks for more permits than its limit ever gives at once, or for a
 * number that is none: no waiting would help.
 */
public class RateLimitCostProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (!(exception instanceof RateLimitCostException cost)) {
			return null;
		}
		if (cost.isTooHigh()) {
			return Problem.own(HttpStatus.BAD_REQUEST, "cost-too-high", "The request asks for too much",
					"The request asks for more at once than its limit ever gives. Ask for less.");
		}
		return Problem.own(HttpStatus.BAD_REQUEST, "cost-invalid", "The request asks for no whole amount",
				"The request asks for an amount that is no whole number, zero or more.");
	}

}
