// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * Another caller has been loading the value for longer than this one may wait, and the
 * cache is configured with {@code on-load-timeout: fail}. The loader has not run for this
 * caller. Over HTTP a 503 with {@code Retry-After}.
 */
public class CacheLoadTimeoutException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param cache the cache's name
	 */
	public CacheLoadTimeoutException(String cache) {
		super("Another caller is still loading a value of cache '" + cache + "' after ge.redis.cache.load-wait");
	}

	@Override
	public Refusal refusal() {
		return Refusal.temporary("The answer is still being made for another caller. Please try again.");
	}

}
