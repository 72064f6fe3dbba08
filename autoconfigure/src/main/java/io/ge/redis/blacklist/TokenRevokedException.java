/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import io.ge.redis.GeRedisException;

/**
 * A call presented a token that is not accepted any more, and has not run. Over HTTP a
 * 401 with {@code WWW-Authenticate: Bearer error="invalid_token"}.
 */
public class TokenRevokedException extends GeRedisException {

	private final String name;

	private final TokenStatus status;

	/**
	 * Creates an exception.
	 * @param name the name of the check
	 * @param status why the token is refused
	 */
	public TokenRevokedException(String name, TokenStatus status) {
		super(status.description() + " (blacklist '" + name + "')");
		this.name = name;
		this.status = status;
	}

	/**
	 * Returns the name of the check that refused.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns why the token is refused.
	 * @return the status, never {@link TokenStatus#CLEAR}
	 */
	public TokenStatus status() {
		return this.status;
	}

}
