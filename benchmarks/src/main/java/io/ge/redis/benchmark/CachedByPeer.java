/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.benchmark;

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

	@Cacheable(cacheNames = "peer", key = "#key", cacheManager = "peerMemoryManager")
	public Balance readMemory(String key) {
		return Balance.of(key);
	}

	@CachePut(cacheNames = "peer", key = "#key")
	public Balance write(String key) {
		return Balance.of(key);
	}

}
