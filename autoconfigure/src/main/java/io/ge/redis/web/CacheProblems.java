/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.time.Duration;

import io.ge.redis.GeRedisException;
import io.ge.redis.cache.CacheLoadTimeoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 503 for a caller that has waited too long for a value that another one loads.
 */
public class CacheProblems implements ProblemMapping {

	private static final Duration RETRY = Duration.ofSeconds(1);

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (!(exception instanceof CacheLoadTimeoutException)) {
			return null;
		}
		return Problem
			.registered(HttpStatus.SERVICE_UNAVAILABLE, "temporary-reduced-capacity",
					"Request cannot be satisfied due to temporary server capacity constraints",
					"The answer is still being made for another caller. Please try again.")
			.retryAfter(RETRY);
	}

}
