// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.List;
import java.util.Map;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one cache that are read together, and where their values come from.
 */
interface CacheEntries {

	String cache();

	CacheType type();

	ResultForm form();

	default Promises promises() {
		return new Promises(form());
	}

	/**
	 * Loads the values of entries.
	 * @return the values, or the promise of them
	 * @throws Throwable what the application throws
	 */
	@Nullable Object load(List<CacheKey> missing) throws Throwable;

	/**
	 * Returns the value of an entry in what was loaded, {@code null} for absence.
	 */
	@Nullable Object value(CacheKey key, @Nullable Object loaded);

	/**
	 * Returns the result of the call for the values of all entries.
	 */
	@Nullable Object result(Map<CacheKey, @Nullable Object> values);

	default boolean isStorable(@Nullable Object value) {
		return true;
	}

	/**
	 * Returns the tags of the entries.
	 * @return the tags, or {@code null} if the reader knows nothing of them
	 */
	default @Nullable CacheTags tags() {
		return null;
	}

}
