/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import java.util.List;

import io.ge.redis.core.key.RedisKey;

/**
 * Names the entries of a cache that is written behind.
 */
@FunctionalInterface
public interface RedisEntries {

	/**
	 * Returns the keys of an entry: itself, its writers, those who wait for it, and any
	 * that go with a reader's lease. As many for each entry.
	 * @param cache the cache's name
	 * @param key the key
	 * @return the keys, in that order, in the slot of the entry's partition
	 */
	List<RedisKey> keys(String cache, List<String> key);

}
