// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one cache, and where their values come from, now or later.
 */
public interface CacheSource {

	String cache();

	Collection<CacheKey> keys();

	CacheType type();

	default ResultForm form() {
		return ResultForm.PLAIN;
	}

	default Promises promises() {
		return new Promises(form());
	}

	/**
	 * Loads values.
	 * @return the values, or the promise of them, as {@link #byKey} takes them
	 * @throws Throwable what the application throws
	 */
	@Nullable Object load(List<CacheKey> missing) throws Throwable;

	/**
	 * Returns the values that were loaded.
	 * @return a value for each of the entries; {@code null} for absence
	 */
	Map<CacheKey, @Nullable Object> byKey(List<CacheKey> missing, @Nullable Object loaded);

	@Nullable Object result(Map<CacheKey, @Nullable Object> values);

	default boolean isStorable(@Nullable Object value) {
		return true;
	}

	/**
	 * Returns the tags of the entries.
	 * @return the tags, or {@code null} if the source knows nothing of them
	 */
	default @Nullable CacheTags tags() {
		return null;
	}

	/**
	 * Returns whether the caller loads by itself: it gets an {@link OpenMiss} if there is
	 * no value. Nobody waits for it, since it may never say how its load has ended.
	 */
	default boolean isOpen() {
		return false;
	}

}
