/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import io.ge.redis.GeRedisException;

/**
 * The caller is authenticated, but has no name that would keep its keys apart from those
 * of others: its token has neither {@code sub} nor {@code client_id} nor {@code azp}. The
 * method has not run. Over HTTP a 403. Operations with {@link IdempotencyScope#GLOBAL}
 * need no name.
 */
public class IdempotencyCallerException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 */
	public IdempotencyCallerException(String name) {
		super("The caller of '" + name + "' is authenticated and has no name to keep its idempotency keys by. Give its"
				+ " token a subject, or use scope = GLOBAL");
	}

}
