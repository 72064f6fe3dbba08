// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import io.ge.redis.Refusal;

/**
 * The first call with the same key has succeeded, but its result cannot be replayed: it
 * was too large to be stored, or cannot be read. This call has not run. Over HTTP a 409.
 */
public class ResponseLostException extends IdempotencyException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 */
	public ResponseLostException(String name) {
		super("The first call of '" + name + "' with this key has succeeded, but its result was not kept");
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(409, "response-lost", "The response to the first request with this Idempotency-Key is lost",
				"The first request has taken effect, but its response was not kept.");
	}

}
