/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Where the value of an entry comes from if the cache does not have it, now or later.
 */
public interface CacheSource {

	CacheKey key();

	CacheType type();

	/**
	 * Returns the form in which the value comes.
	 */
	default ResultForm form() {
		return ResultForm.PLAIN;
	}

	default Promises promises() {
		return new Promises(form());
	}

	/**
	 * Loads the value.
	 * @return the value, or {@code null} for absence; or the promise of it
	 * @throws Throwable what the application throws
	 */
	@Nullable Object load() throws Throwable;

	/**
	 * Returns what is stored of a value that was loaded or promised.
	 */
	default @Nullable Object plain(@Nullable Object loaded) {
		return loaded;
	}

	/**
	 * Returns what the caller gets for a stored value.
	 */
	default @Nullable Object promised(@Nullable Object plain) {
		return plain;
	}

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
