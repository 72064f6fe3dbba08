// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

/**
 * Behaviour of a transaction whose writer cannot announce itself before the commit
 * because Redis does not answer.
 */
public enum OnRedisDown {

	/**
	 * It is committed. The entry is remembered in memory and removed before this instance
	 * reads it from Redis again; other instances may read the old value until then, and
	 * until its TTL ends if this instance dies before. The default.
	 */
	PROCEED,

	/**
	 * It is rolled back, and its caller gets a
	 * {@link io.ge.redis.RedisUnavailableException}; without a transaction, the method
	 * does not run.
	 */
	FAIL_TX

}
