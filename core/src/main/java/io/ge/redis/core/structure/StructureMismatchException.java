// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * Redis holds something else under the key of a structure: data of another type, or of
 * the same structure with other parameters. Nothing was changed. Over HTTP a 409.
 */
public class StructureMismatchException extends GeRedisException {

	/** Creates an exception. Its message names the key, its content and the remedy. */
	public StructureMismatchException(String problem) {
		super(problem, false);
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(409, "data-mismatch", "The stored data is of another kind",
				"The stored data is not what this request needs. Nothing was changed.");
	}

}
