/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

/**
 * Settings of a limit that cannot work, with what to write instead.
 */
final class InvalidRateLimitException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	InvalidRateLimitException(String problem, String remedy) {
		super(problem + " " + remedy);
		this.problem = problem;
		this.remedy = remedy;
	}

	String problem() {
		return this.problem;
	}

	String remedy() {
		return this.remedy;
	}

}
