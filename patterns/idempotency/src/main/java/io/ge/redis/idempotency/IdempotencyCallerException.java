// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import io.ge.redis.Refusal;

/**
 * The caller is authenticated, but has no name that would keep its keys apart from those
 * of others: its token has neither {@code sub} nor {@code client_id} nor {@code azp}. The
 * method has not run. Over HTTP a 403. Operations with {@link IdempotencyScope#GLOBAL}
 * need no name.
 */
public class IdempotencyCallerException extends IdempotencyException {

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 */
	public IdempotencyCallerException(String name) {
		super("The caller of '" + name + "' is authenticated and has no name to keep its idempotency keys by. Give its"
				+ " token a subject, or use scope = GLOBAL");
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(403, "caller-unnamed", "The caller has no name",
				"The credentials name neither a subject nor a client to whom the Idempotency-Key could belong.");
	}

}
