/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import io.ge.redis.GeRedisException;

/**
 * A key expression gave nothing to name an entity by. The guarded method has not run.
 */
public class InvalidKeyException extends GeRedisException {

	InvalidKeyException(String message) {
		super(message);
	}

}
