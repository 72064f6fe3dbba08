/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Where the values of several entries of one cache come from if the cache does not have
 * them.
 */
interface CacheBulkSource {

	String cache();

	/**
	 * Returns the entries, each once.
	 */
	Collection<CacheKey> keys();

	CacheType type();

	/**
	 * Loads values.
	 * @param missing some of the entries
	 * @return the values that there are; what is missing or {@code null} is absent
	 * @throws Throwable what the application throws
	 */
	Map<CacheKey, @Nullable Object> load(List<CacheKey> missing) throws Throwable;

	/**
	 * Returns whether a loaded value is to be stored.
	 */
	default boolean isStorable(@Nullable Object value) {
		return true;
	}

}
