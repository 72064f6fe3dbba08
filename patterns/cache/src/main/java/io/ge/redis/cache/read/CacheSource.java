// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * One entry, and where its value comes from, now or later.
 */
public interface CacheSource {

	/**
	 * Returns the key of the entry, evaluated when it is asked for first.
	 */
	CacheKey key();

	CacheType type();

	default ResultForm form() {
		return ResultForm.PLAIN;
	}

	default Promises promises() {
		return new Promises(form());
	}

	/**
	 * Returns whether the call reads the cache; if not, it only loads.
	 */
	default boolean applies() {
		return true;
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
	 * Returns the result of the call for a value of the cache.
	 */
	default @Nullable Object result(@Nullable Object plain) {
		return plain;
	}

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
	 * Returns whether the caller loads by itself: it gets an {@link OpenMiss} if there is
	 * no value. No reader waits for it, since it may never report how its load has ended.
	 */
	default boolean isOpen() {
		return false;
	}

}
