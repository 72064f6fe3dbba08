// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

/**
 * Behaviour of a repetition while the first call runs.
 */
public enum OnDuplicate {

	/** It is refused at once. */
	CONFLICT,

	/**
	 * It waits for the result of the first call, for at most
	 * {@code ge.redis.idempotency.wait-timeout}, and is refused then. If the first call
	 * frees the key, one of the waiting calls runs.
	 */
	WAIT

}
