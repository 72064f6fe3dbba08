// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import io.ge.redis.Refusal;

/**
 * The key was used before with another payload. The call has not run. Over HTTP a 422.
 */
public class IdempotencyMismatchException extends IdempotencyException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 */
	public IdempotencyMismatchException(String name) {
		super("The key was used for another call of '" + name + "' with other content");
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(422, "idempotency-key-reused", "Idempotency-Key is already used",
				"The key was used for a request with other content. Use a new key for a new request.");
	}

}
