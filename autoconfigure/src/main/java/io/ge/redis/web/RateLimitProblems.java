/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitExceededException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 429 with the time to wait and the limits that refused; 400 where no waiting would help,
 * since the request takes more at once than its limit ever gives.
 */
public class RateLimitProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (exception instanceof RateLimitExceededException exceeded) {
			return Problem
				.registered(HttpStatus.TOO_MANY_REQUESTS, "quota-exceeded",
						"Request cannot be satisfied as assigned quota has been exceeded",
						"Too many calls. Try again after the time in Retry-After.")
				.with("violated-policies", exceeded.violated())
				.retryAfter(exceeded.retryAfter());
		}
		if (exception instanceof RateLimitCostException) {
			return Problem.own(HttpStatus.BAD_REQUEST, "cost-too-high", "Request is too large for its rate limit",
					"The request takes more at once than its rate limit ever gives, so repeating it cannot help.");
		}
		return null;
	}

}
