// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import org.jspecify.annotations.Nullable;

/**
 * Base of every exception that GE Redis throws.
 * <p>
 * One base so that rollback rules and
 * {@code @Retryable(excludes = GeRedisException.class)} need one line. Messages name the
 * annotation, the method and the name of the guard, never a secret: no token, idempotency
 * key or evaluated key of a user appears in them.
 */
public abstract class GeRedisException extends RuntimeException {

	protected GeRedisException(String message) {
		super(message);
	}

	protected GeRedisException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Creates an exception without a cause.
	 * @param message the message
	 * @param hasStackTrace whether it has a stack trace, its most expensive part
	 */
	protected GeRedisException(String message, boolean hasStackTrace) {
		super(message, null, true, hasStackTrace);
	}

	/**
	 * Returns the answer to a call over a protocol such as HTTP.
	 * @return the refusal, or {@code null} if no guard has refused the call, over HTTP a
	 * 500
	 */
	public @Nullable Refusal refusal() {
		return null;
	}

}
