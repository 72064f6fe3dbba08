// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import io.ge.redis.Refusal;

/**
 * A call has no idempotency key, or one that is not allowed. The method has not run. Over
 * HTTP a 400.
 */
public class IdempotencyKeyException extends IdempotencyException {

	/**
	 * Creates an exception.
	 * @param message the problem, without the key
	 */
	public IdempotencyKeyException(String message) {
		super(message);
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(400, "idempotency-key-required", "Idempotency-Key is missing or malformed",
				String.valueOf(getMessage()));
	}

}
