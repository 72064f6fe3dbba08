// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.internal.access.CacheReader;
import io.ge.redis.cache.internal.access.CacheWriter;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheRegistry;

/**
 * The parts of Spring's caches.
 */
public record SpringCacheParts(CacheRegistry definitions, CacheCodec codec, GeCaches caches, CacheReader reader,
		OpenMisses misses, SpringCachePuts puts, CacheWriter writer) {
}
