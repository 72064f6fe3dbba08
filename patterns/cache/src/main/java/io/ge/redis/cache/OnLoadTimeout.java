// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

/**
 * Behaviour of a caller that has waited for another one's value as long as it may.
 */
public enum OnLoadTimeout {

	/** The value that it loads itself, which is not cached. */
	LOAD,

	/**
	 * The value that has expired, if one is kept ({@code ge.redis.cache.stale-if-error});
	 * else as {@link #LOAD}.
	 */
	STALE,

	/** A {@link CacheLoadTimeoutException}. */
	FAIL

}
