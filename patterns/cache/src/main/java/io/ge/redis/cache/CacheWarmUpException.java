/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.GeRedisException;

/**
 * A cache was not warmed up, and the application is not to start without
 * ({@code ge.redis.cache.warm-up.readiness=require}).
 */
public class CacheWarmUpException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param message what has happened
	 */
	public CacheWarmUpException(String message) {
		super(message);
	}

}
