/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.time.Duration;

import io.ge.redis.GeRedisException;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.behind.WriteBehindFullException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 503 for a caller that has waited too long for a value that another one loads, and for
 * one whose change is one too many for a cache that is written behind.
 */
public class CacheProblems implements ProblemMapping {

	private static final Duration RETRY = Duration.ofSeconds(1);

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (exception instanceof CacheLoadTimeoutException) {
			return problem("The answer is still being made for another caller. Please try again.");
		}
		if (exception instanceof WriteBehindFullException) {
			return problem("Too many changes wait to be stored. Nothing was changed. Please try again.");
		}
		return null;
	}

	private static Problem problem(String detail) {
		return Problem
			.registered(HttpStatus.SERVICE_UNAVAILABLE, "temporary-reduced-capacity",
					"Request cannot be satisfied due to temporary server capacity constraints", detail)
			.retryAfter(RETRY);
	}

}
