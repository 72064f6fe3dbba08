// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

/**
 * Base of the exceptions that refuse a call because of its idempotency key.
 */
public abstract class IdempotencyException extends GeRedisException {

	protected IdempotencyException(String message) {
		super(message);
	}

	protected IdempotencyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
