/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.invocation.InvalidKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 400 where a call leaves out what a guard needs to know whom it is about. An expression
 * that cannot be evaluated is the application's mistake and stays a 500.
 */
public class InvalidKeyProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (!(exception instanceof InvalidKeyException invalid) || !invalid.isCausedByArguments()) {
			return null;
		}
		return Problem.own(HttpStatus.BAD_REQUEST, "key-missing", "A value is missing",
				"The request leaves out or blanks a value that is needed to decide on it.");
	}

}
