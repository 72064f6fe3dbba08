/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.ratelimit.RateLimitExceededException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 429 with the time to wait and the limits that refused.
 */
public class RateLimitProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (!(exception instanceof RateLimitExceededException exceeded)) {
			return null;
		}
		return Problem
			.registered(HttpStatus.TOO_MANY_REQUESTS, "quota-exceeded",
					"Request cannot be satisfied as assigned quota has been exceeded",
					"Too many calls. Try again after the time in Retry-After.")
			.with("violated-policies", exceeded.violated())
			.retryAfter(exceeded.retryAfter());
	}

}
