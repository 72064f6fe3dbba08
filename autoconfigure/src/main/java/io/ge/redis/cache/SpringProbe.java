/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import org.jspecify.annotations.Nullable;

/**
 * Evaluates the expressions of an operation, without Spring's processing of it taking
 * notice.
 */
interface SpringProbe {

	/**
	 * Evaluates the key.
	 * @param result what the method has returned, or {@code null} if it has not run
	 */
	@Nullable Object key(@Nullable Object result);

	/**
	 * Returns whether the condition holds.
	 * @param result as for {@link #key}
	 */
	boolean passes(@Nullable Object result);

	/**
	 * Returns whether a result is to be put, which {@code unless} says.
	 */
	boolean stores(@Nullable Object result);

}
