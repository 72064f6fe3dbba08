/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.structure;

import io.ge.redis.GeRedisException;

/**
 * Redis holds something else under the key of a structure: data of another type, or of
 * the same structure with other parameters. Nothing was changed.
 */
public class StructureMismatchException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param problem names the key, says what it holds and what to do
	 */
	public StructureMismatchException(String problem) {
		super(problem, false);
	}

}
