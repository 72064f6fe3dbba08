/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Caches in code, for what an annotation cannot express. Entries and guarantees are those
 * of {@link CacheAside} and {@link CacheWriteThrough} with the same name and key.
 * <p>
 * Keys are text, a number, or a list of those. No method throws because of Redis.
 */
public interface GeCaches {

	/**
	 * Returns a value from the cache, or loads it. As {@link CacheAside}.
	 * @param cache the cache's name
	 * @param key the key
	 * @param type the type of the value
	 * @param loader loads the value, on the calling thread; {@code null} is cached as
	 * absence
	 * @param <T> the type
	 * @return the value
	 * @throws IllegalArgumentException if an annotation gives the cache another type
	 */
	<T> @Nullable T get(String cache, Object key, Class<T> type, Supplier<? extends @Nullable T> loader);

	/**
	 * As {@link #get(String, Object, Class, Supplier)} for a generic type.
	 * @param cache the cache's name
	 * @param key the key
	 * @param type the type of the value
	 * @param loader loads the value, on the calling thread
	 * @param <T> the type
	 * @return the value
	 */
	<T> @Nullable T get(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends @Nullable T> loader);

	/**
	 * Changes the database and publishes the new value. As {@link CacheWriteThrough}: two
	 * script calls.
	 * @param cache the cache's name
	 * @param key the key
	 * @param work makes the change and returns the new value
	 * @param <T> the type
	 * @return what the work returned
	 */
	<T extends @Nullable Object> T write(String cache, Object key, Supplier<T> work);

	/**
	 * Publishes a value after the commit of the current transaction, which has changed
	 * it; nothing happens if that is rolled back. Two script calls. Outside of a
	 * transaction nothing tells whether another writer has been at work since, so there
	 * the entry is removed; use {@link #write}.
	 * @param cache the cache's name
	 * @param key the key
	 * @param value the value; {@code null} for absence
	 */
	void put(String cache, Object key, @Nullable Object value);

	/**
	 * Removes an entry, and all leave to fill it: after the commit of the current
	 * transaction, at two script calls, or at once if there is none, at one.
	 * @param cache the cache's name
	 * @param key the key
	 */
	void evict(String cache, Object key);

}
