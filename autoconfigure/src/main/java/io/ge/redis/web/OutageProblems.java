/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 503 while Redis is away and the policy is to deny.
 */
public class OutageProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (!(exception instanceof RedisUnavailableException unavailable)) {
			return null;
		}
		return Problem
			.registered(HttpStatus.SERVICE_UNAVAILABLE, "temporary-reduced-capacity",
					"Request cannot be satisfied due to temporary server capacity constraints",
					"The call cannot be decided at present. Please try again.")
			.retryAfter(unavailable.retryAfter());
	}

}
