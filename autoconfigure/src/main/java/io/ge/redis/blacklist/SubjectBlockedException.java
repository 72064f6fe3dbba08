/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import io.ge.redis.GeRedisException;

/**
 * The subject of a call is blocked, and the call has not run. Over HTTP a 403.
 */
public class SubjectBlockedException extends GeRedisException {

	private final String name;

	/**
	 * Creates an exception.
	 * @param name the name of the list
	 */
	public SubjectBlockedException(String name) {
		super("The subject is blocked (blacklist '" + name + "')");
		this.name = name;
	}

	/**
	 * Returns the name of the list that refused.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

}
