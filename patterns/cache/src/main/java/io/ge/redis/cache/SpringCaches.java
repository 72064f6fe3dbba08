// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import org.springframework.cache.CacheManager;

/**
 * Gives Spring's view of the caches to an application that has another
 * {@link CacheManager} as well.
 */
public interface SpringCaches {

	/**
	 * Returns the manager of the same caches as {@link GeCaches}. Redis is not asked.
	 */
	CacheManager cacheManager();

}
