/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.core.call.GuardedCalls;

/**
 * The parts of Spring's caches.
 *
 * @param definitions the caches by name
 * @param codec knows types
 * @param caches what code uses
 * @param reader reads where the loader is known
 * @param split reads where the caller loads
 * @param misses what callers are about to load
 * @param puts writes what they put
 * @param writer writes
 * @param later writes without waiting
 * @param calls goes on with what Redis has answered
 */
record SpringCacheParts(CacheRegistry definitions, CacheCodec codec, DefaultCaches caches, CacheReader reader,
		SplitReader split, OpenMisses misses, SpringCachePuts puts, CacheWriter writer, LaterWriter later,
		GuardedCalls calls) {
}
