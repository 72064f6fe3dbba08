// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

/**
 * Behaviour of a call whose key evaluates to {@code null}, blank text or an empty list.
 */
public enum OnEmptyKey {

	/**
	 * The call fails with an {@link io.ge.redis.InvalidKeyException}: over HTTP a 400.
	 */
	ERROR,

	/**
	 * The call is not limited by this limit.
	 */
	SKIP,

	/**
	 * All calls without a key share one state.
	 */
	SHARED

}
