// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.function.Supplier;

import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;

/**
 * The same cache with Spring's annotations, on Spring Data Redis, and on Caffeine.
 */
class CachedByPeer {

	@Cacheable(cacheNames = "peer", key = "#key")
	public Balance read(String key) {
		return Balance.of(key);
	}

	@Cacheable(cacheNames = "peer", key = "#key")
	public Balance read(String key, Supplier<Balance> loader) {
		return loader.get();
	}

	@Cacheable(cacheNames = "peer", key = "#key", sync = true)
	public Balance readInSync(String key, Supplier<Balance> loader) {
		return loader.get();
	}

	@Cacheable(cacheNames = "peer", key = "#key", sync = true, cacheManager = "peerLockingManager")
	public Balance readLocked(String key, Supplier<Balance> loader) {
		return loader.get();
	}

	@Cacheable(cacheNames = "peer", key = "#key", cacheManager = "peerMemoryManager")
	public Balance readMemory(String key) {
		return Balance.of(key);
	}

	@CachePut(cacheNames = "peer", key = "#key")
	public Balance write(String key) {
		return Balance.of(key);
	}

}
