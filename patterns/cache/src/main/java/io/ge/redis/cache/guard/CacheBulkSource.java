// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.guard;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.read.CacheSource;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Several entries of a cache by their ids. The caller gets a map of the values that there
 * are, in the order of the ids.
 */
record CacheBulkSource(String cache, Map<CacheKey, Object> entries, CacheType type, ResultForm form, Loader loader,
		Predicate<@Nullable Object> storable) implements CacheSource {

	/**
	 * Creates a source.
	 * @param ids the ids, each of which is a key
	 */
	static CacheBulkSource of(String cache, @Nullable Object ids, Object what, CacheType type, ResultForm form,
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
	public Collection<CacheKey> keys() {
		return this.entries.keySet();
	}

	@Override
	public @Nullable Object load(List<CacheKey> missing) throws Throwable {
		List<Object> ids = new ArrayList<>(missing.size());
		missing.forEach((key) -> ids.add(this.entries.get(key)));
		return this.loader.load(ids);
	}

	@Override
	public Map<CacheKey, @Nullable Object> byKey(List<CacheKey> missing, @Nullable Object loaded) {
		Map<CacheKey, @Nullable Object> values = new LinkedHashMap<>();
		missing.forEach(
				(key) -> values.put(key, (loaded instanceof Map<?, ?> byId) ? byId.get(this.entries.get(key)) : null));
		return values;
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

	@Override
	public boolean isStorable(@Nullable Object value) {
		return this.storable.test(value);
	}

	@FunctionalInterface
	interface Loader {

		/**
		 * Loads the values of ids.
		 * @return a map of them, or the promise of one
		 */
		@Nullable Object load(List<Object> ids) throws Throwable;

	}

}
