// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import org.springframework.cache.CacheManager;
import org.springframework.cache.support.NoOpCacheManager;

/**
 * Gives Spring's view of the caches to an application that has another
 * {@link CacheManager} as well.
 */
public interface SpringCaches {

	/**
	 * Returns the manager of the same caches as {@link GeCaches}. Redis is not asked.
	 */
	CacheManager cacheManager();

	/**
	 * Returns what is injected where caches are switched off: its caches never hit.
	 */
	static SpringCaches unguarded() {
		CacheManager none = new NoOpCacheManager();
		return () -> none;
	}

}
