// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.time.Duration;

import io.ge.redis.Refusal;

/**
 * A transaction is rolled back because another call with the same key has had its effect
 * meanwhile. Thrown at the commit of a transaction that the caller has begun. A call with
 * a transaction of its own gets the other call's result instead. So does a repetition.
 */
public class EffectAlreadyCommittedException extends IdempotencyException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 * @param cause how the database refused the second effect
	 */
	public EffectAlreadyCommittedException(String name, Throwable cause) {
		super("Another call of '" + name + "' with this key has had its effect: this transaction is rolled back",
				cause);
	}

	@Override
	public Refusal refusal() {
		return Refusal
			.of(409, "effect-already-committed", "Another request with this Idempotency-Key has taken effect",
					"This request was rolled back. Repeat it to get the response to the other one.")
			.withRetryAfter(Duration.ofSeconds(1));
	}

}
