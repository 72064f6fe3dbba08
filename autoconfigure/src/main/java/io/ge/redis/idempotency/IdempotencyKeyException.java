/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import io.ge.redis.GeRedisException;

/**
 * A call has no idempotency key, or one that is not allowed. The method has not run. Over
 * HTTP a 400.
 */
public class IdempotencyKeyException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param message what is wrong, without the key
	 */
	public IdempotencyKeyException(String message) {
		super(message);
	}

}
