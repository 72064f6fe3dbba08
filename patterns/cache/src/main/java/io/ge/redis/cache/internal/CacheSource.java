// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * The request of a reader: one entry, or {@link Several}, and the origin of their values.
 */
interface CacheSource {

	String cache();

	/**
	 * Returns the keys of the entries, each once.
	 */
	List<CacheKey> keys();

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
	default @Nullable Object value(CacheKey key, @Nullable Object loaded) {
		return loaded;
	}

	/**
	 * Returns the result of the call.
	 * @param values the values of all entries, in the order of their keys
	 */
	default @Nullable Object result(List<@Nullable Object> values) {
		return values.get(0);
	}

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

	/**
	 * Returns whether the caller loads by itself: it gets an {@link OpenMiss} if there is
	 * no value. No reader waits for it, since it may never report how its load has ended.
	 */
	default boolean isOpen() {
		return false;
	}

	/**
	 * One entry.
	 *
	 * @param isOpen whether its caller loads by itself
	 */
	record One(CacheKey key, CacheType type, ResultForm form, boolean isOpen, Loader loader) implements CacheSource {

		@Override
		public String cache() {
			return this.key.cache();
		}

		@Override
		public List<CacheKey> keys() {
			return List.of(this.key);
		}

		@Override
		public @Nullable Object load(List<CacheKey> missing) throws Throwable {
			return this.loader.load(List.of(this.key));
		}

	}

	/**
	 * Several entries of a cache by their ids. The caller gets a map of the values that
	 * there are, in the order of the ids.
	 *
	 * @param ids the ids by their keys
	 */
	record Several(String cache, Map<CacheKey, Object> ids, CacheType type, ResultForm form, Loader loader,
			Predicate<@Nullable Object> storable) implements CacheSource {

		/**
		 * Creates a request.
		 * @param ids the ids, each of which is a key
		 */
		static Several of(String cache, @Nullable Object ids, Object what, CacheType type, ResultForm form,
				Loader loader, Predicate<@Nullable Object> storable) {
			Map<CacheKey, Object> byKey = new LinkedHashMap<>();
			if (ids instanceof Iterable<?> all) {
				all.forEach((id) -> byKey.putIfAbsent(CacheKey.of(cache, id, what), id));
			}
			else {
				CacheKey.of(cache, null, what);
			}
			return new Several(cache, byKey, type, form, loader, storable);
		}

		@Override
		public List<CacheKey> keys() {
			return List.copyOf(this.ids.keySet());
		}

		@Override
		public @Nullable Object load(List<CacheKey> missing) throws Throwable {
			List<Object> wanted = new ArrayList<>(missing.size());
			missing.forEach((key) -> wanted.add(this.ids.get(key)));
			return this.loader.load(wanted);
		}

		@Override
		public @Nullable Object value(CacheKey key, @Nullable Object loaded) {
			return (loaded instanceof Map<?, ?> byId) ? byId.get(this.ids.get(key)) : null;
		}

		@Override
		public boolean isStorable(@Nullable Object value) {
			return this.storable.test(value);
		}

		@Override
		public Object result(List<@Nullable Object> values) {
			Map<Object, Object> result = new LinkedHashMap<>();
			int i = 0;
			for (Object id : this.ids.values()) {
				Object value = values.get(i++);
				if (value != null) {
					result.put(id, value);
				}
			}
			return result;
		}

	}

	@FunctionalInterface
	interface Loader {

		/**
		 * Loads a value, or the values of ids.
		 * @return the value, or a map of them, or the promise of it
		 */
		@Nullable Object load(List<?> ids) throws Throwable;

	}

}
