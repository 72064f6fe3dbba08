// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.spring;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.codec.CacheCodec;
import io.ge.redis.cache.read.CacheReader;
import io.ge.redis.cache.settings.CacheRegistry;
import io.ge.redis.cache.write.CacheWriter;

/**
 * The parts of Spring's caches.
 */
public record SpringCacheParts(CacheRegistry definitions, CacheCodec codec, GeCaches caches, CacheReader reader,
		OpenMisses misses, SpringCachePuts puts, CacheWriter writer) {
}
