// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import io.ge.redis.Refusal;

/**
 * The first call with the same key has failed, or was cancelled, and may have changed
 * something. This one has not run. Over HTTP a 409.
 */
public class OutcomeUnknownException extends IdempotencyException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 */
	public OutcomeUnknownException(String name) {
		super("The first call of '" + name + "' with this key has failed or was cancelled, and its effect is unknown");
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(409, "outcome-unknown",
				"The outcome of the first request with this Idempotency-Key is unknown",
				"The first request failed after it may have had its effect. Look at the resource before trying again "
						+ "with a new key.");
	}

}
