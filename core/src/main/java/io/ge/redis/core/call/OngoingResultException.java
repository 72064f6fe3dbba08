/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import io.ge.redis.GeRedisException;

/**
 * Guarded work has returned something whose work goes on, where a value was expected: the
 * guarding has ended before that.
 */
public final class OngoingResultException extends GeRedisException {

	private final Class<?> type;

	OngoingResultException(Class<?> type) {
		super("The guarded work has returned a " + type.getSimpleName()
				+ ", whose work goes on after the guarding has ended. Return the value that it promises, or use the "
				+ "asynchronous variant of the method");
		this.type = type;
	}

	/**
	 * Returns the class of what goes on.
	 */
	public Class<?> type() {
		return this.type;
	}

}
