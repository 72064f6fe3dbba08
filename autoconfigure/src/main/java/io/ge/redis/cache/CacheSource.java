/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import org.jspecify.annotations.Nullable;

/**
 * Where the value of an entry comes from if the cache does not have it.
 */
interface CacheSource {

	CacheKey key();

	CacheType type();

	/**
	 * Loads the value.
	 * @return the value, or {@code null} for absence
	 * @throws Throwable what the application throws
	 */
	@Nullable Object load() throws Throwable;

	/**
	 * Returns whether a loaded value is to be stored.
	 */
	default boolean isStorable(@Nullable Object value) {
		return true;
	}

	/**
	 * Returns the tags of the entry.
	 * @return the tags, or {@code null} if the source knows nothing of them
	 */
	default @Nullable CacheTags tags() {
		return null;
	}

	/**
	 * Returns a source that another thread can load from after the call has returned.
	 */
	default CacheSource detached() {
		return this;
	}

}
