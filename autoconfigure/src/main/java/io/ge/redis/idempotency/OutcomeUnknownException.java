/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import io.ge.redis.GeRedisException;

/**
 * The first call with the same key has failed after it may have changed something, and
 * nobody knows whether it did. This one has not run. Over HTTP a 409.
 */
public class OutcomeUnknownException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 */
	public OutcomeUnknownException(String name) {
		super("The first call of '" + name + "' with this key has failed, and its effect is unknown");
	}

}
