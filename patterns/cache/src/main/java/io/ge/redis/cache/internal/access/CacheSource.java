// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.List;
import java.util.Map;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * One entry, and where its value comes from, now or later.
 */
public interface CacheSource extends CacheEntries {

	/**
	 * Returns the key of the entry, evaluated when it is asked for first.
	 */
	CacheKey key();

	@Override
	default String cache() {
		return key().cache();
	}

	@Override
	default ResultForm form() {
		return ResultForm.PLAIN;
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

	@Override
	default @Nullable Object load(List<CacheKey> missing) throws Throwable {
		return load();
	}

	/**
	 * Returns what is stored of a value that was loaded or promised.
	 */
	default @Nullable Object plain(@Nullable Object loaded) {
		return loaded;
	}

	@Override
	default @Nullable Object value(CacheKey key, @Nullable Object loaded) {
		return plain(loaded);
	}

	/**
	 * Returns the result of the call for a value of the cache.
	 */
	default @Nullable Object result(@Nullable Object plain) {
		return plain;
	}

	@Override
	default @Nullable Object result(Map<CacheKey, @Nullable Object> values) {
		return result(values.get(key()));
	}

	/**
	 * Returns whether the caller loads by itself: it gets an {@link OpenMiss} if there is
	 * no value. No reader waits for it, since it may never report how its load has ended.
	 */
	default boolean isOpen() {
		return false;
	}

}
