// SPDX-License-Identifier: Apache-2.0

/**
 * Caches in front of a database: {@link io.ge.redis.cache.CacheAside} on readers,
 * {@link io.ge.redis.cache.CacheWriteThrough} on writers,
 * {@link io.ge.redis.cache.GeCaches} in code. No value stays that is older than the
 * database.
 */
@NullMarked
package io.ge.redis.cache;

import org.jspecify.annotations.NullMarked;
