/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

/**
 * Translates the refusals of one pattern.
 */
@FunctionalInterface
public interface ProblemMapping {

	/**
	 * Translates an exception.
	 * @param exception the refusal
	 * @return the problem, or {@code null} if another mapping must know it
	 */
	@Nullable Problem map(GeRedisException exception);

}
