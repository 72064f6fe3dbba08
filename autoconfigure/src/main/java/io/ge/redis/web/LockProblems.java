/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 409, or 423 by configuration, while another call holds the lock.
 */
public class LockProblems implements ProblemMapping {

	private final HttpStatus status;

	/**
	 * Creates the mapping.
	 * @param status the status of the answer
	 */
	public LockProblems(HttpStatus status) {
		this.status = status;
	}

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (!(exception instanceof LockNotAcquiredException refusal)) {
			return null;
		}
		Problem problem = Problem.own(this.status, "lock-not-acquired", "Another call is at work",
				"Another call holds the lock '" + refusal.name() + "'. Try again later.");
		return (refusal.retryAfter() != null) ? problem.retryAfter(refusal.retryAfter()) : problem;
	}

}
