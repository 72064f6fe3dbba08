/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.problem;

import io.ge.redis.GeRedisException;

/**
 * Carries a refusal past handlers for exceptions, which do not handle errors.
 */
final class RefusedError extends Error {

	private final transient GeRedisException refusal;

	RefusedError(GeRedisException refusal) {
		super(refusal.getMessage(), null, false, false);
		this.refusal = refusal;
	}

	GeRedisException refusal() {
		return this.refusal;
	}

}
