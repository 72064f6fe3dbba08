// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.engine.CacheKey;
import org.jspecify.annotations.Nullable;

/**
 * The source of one entry.
 */
public interface CacheEntrySource extends CacheSource {

	CacheKey key();

	@Override
	default String cache() {
		return key().cache();
	}

	@Override
	default Collection<CacheKey> keys() {
		return List.of(key());
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
	default Map<CacheKey, @Nullable Object> byKey(List<CacheKey> missing, @Nullable Object loaded) {
		return missing.isEmpty() ? Map.of() : Collections.singletonMap(key(), plain(loaded));
	}

	default @Nullable Object promised(@Nullable Object plain) {
		return plain;
	}

	@Override
	default @Nullable Object result(Map<CacheKey, @Nullable Object> values) {
		return promised(values.get(key()));
	}

}
