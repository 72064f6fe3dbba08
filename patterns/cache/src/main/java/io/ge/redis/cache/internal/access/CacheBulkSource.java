// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Several entries of a cache by their ids. The caller gets a map of the values that there
 * are, in the order of the ids.
 *
 * @param entries the ids by their keys
 */
public record CacheBulkSource(String cache, Map<CacheKey, Object> entries, CacheType type, ResultForm form,
		Loader loader, Predicate<@Nullable Object> storable) implements CacheEntries {

	/**
	 * Creates a source.
	 * @param ids the ids, each of which is a key
	 */
	public static CacheBulkSource of(String cache, @Nullable Object ids, Object what, CacheType type, ResultForm form,
			Loader loader, Predicate<@Nullable Object> storable) {
		Map<CacheKey, Object> entries = new LinkedHashMap<>();
		if (ids instanceof Iterable<?> all) {
			for (Object id : all) {
				entries.putIfAbsent(CacheKey.of(cache, id, what), id);
			}
		}
		else {
			CacheKey.of(cache, null, what);
		}
		return new CacheBulkSource(cache, entries, type, form, loader, storable);
	}

	@Override
	public @Nullable Object load(List<CacheKey> missing) throws Throwable {
		List<Object> ids = new ArrayList<>(missing.size());
		missing.forEach((key) -> ids.add(this.entries.get(key)));
		return this.loader.load(ids);
	}

	@Override
	public @Nullable Object value(CacheKey key, @Nullable Object loaded) {
		return (loaded instanceof Map<?, ?> byId) ? byId.get(this.entries.get(key)) : null;
	}

	@Override
	public boolean isStorable(@Nullable Object value) {
		return this.storable.test(value);
	}

	@Override
	public Object result(Map<CacheKey, @Nullable Object> values) {
		Map<Object, Object> result = new LinkedHashMap<>();
		this.entries.forEach((key, id) -> {
			Object value = values.get(key);
			if (value != null) {
				result.put(id, value);
			}
		});
		return result;
	}

	@FunctionalInterface
	public interface Loader {

		/**
		 * Loads the values of ids.
		 * @return a map of them, or the promise of one
		 */
		@Nullable Object load(List<Object> ids) throws Throwable;

	}

}
