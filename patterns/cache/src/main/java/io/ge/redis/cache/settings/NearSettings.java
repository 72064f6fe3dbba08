// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.settings;

import java.time.Duration;

/**
 * Whether and how values of a cache are kept in memory.
 *
 * @param enabled whether instances keep any, so that all are to be told of changes
 * @param ttl how long a value is served from memory at most
 */
public record NearSettings(boolean enabled, int maxEntries, Duration ttl) {

	public boolean isKeeping() {
		return this.enabled && this.maxEntries > 0;
	}

}
