// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

/**
 * Answers to repetitions of a call whose response is larger than
 * {@code ge.redis.idempotency.max-result-size}.
 */
public enum OversizedResponse {

	/**
	 * The result of {@link Idempotent#recover()}, else they are refused with
	 * {@link ResponseLostException}, a 409.
	 */
	LOST,

	/**
	 * The status and the headers without the body, with
	 * {@code Preference-Applied: return=minimal}.
	 */
	MINIMAL

}
