// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.util.ClassUtils;

/**
 * Caches in code, for what an annotation cannot express. Entries and guarantees are those
 * of {@link CacheAside} and {@link CacheWriteThrough} with the same name and key.
 * <p>
 * Keys are text, a number, or a list of those. No method but {@link #writeBehind} throws
 * because of Redis.
 * <p>
 * Methods named {@code ...Async} never block, except where they say so. The stage that
 * they return completes with what the others return or throw.
 */
public interface GeCaches {

	/**
	 * Returns a value from the cache, or loads it. As {@link CacheAside}.
	 * @param loader loads the value, on the calling thread; {@code null} is cached as
	 * absence
	 * @return the value
	 * @throws IllegalArgumentException if an annotation gives the cache another type
	 * @throws CacheLoadTimeoutException if another caller loads for longer than
	 * {@code load-wait} and the cache's {@code on-load-timeout} is {@code fail}
	 * @throws UncacheableValueException if the loaded value holds a proxy or collection
	 * of Hibernate
	 */
	default <T> @Nullable T get(String cache, Object key, Class<T> type, Supplier<? extends @Nullable T> loader) {
		return get(cache, key, reference(type), loader);
	}

	private static <T> ParameterizedTypeReference<T> reference(Class<T> type) {
		return ParameterizedTypeReference.forType(ClassUtils.resolvePrimitiveIfNecessary(type));
	}

	/**
	 * Returns a value like {@link #get(String, Object, Class, Supplier)}, for a generic
	 * type.
	 * @param loader loads the value, on the calling thread
	 * @return the value
	 */
	<T> @Nullable T get(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends @Nullable T> loader);

	/**
	 * Returns several values from the cache, or loads those that are not there. As
	 * {@link CacheAside#keys()}: one script call for all keys, and one for all that were
	 * loaded, on a Cluster one for each slot.
	 * @param loader loads the values of the keys that it is given, on the calling thread;
	 * what it does not return is cached as absence
	 * @return the values that there are, in the order of the keys
	 * @throws IllegalArgumentException if an annotation gives the cache another type
	 */
	default <K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, Class<T> type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader) {
		return getAll(cache, keys, reference(type), loader);
	}

	/**
	 * Returns values like {@link #getAll(String, Collection, Class, Function)}, for a
	 * generic type.
	 * @param loader loads the values of the keys that it is given, on the calling thread
	 * @return the values that there are, in the order of the keys
	 */
	<K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader);

	/**
	 * Changes the database and publishes the new value. As {@link CacheWriteThrough}: two
	 * script calls.
	 * @param work makes the change and returns the new value
	 * @return the result of the work
	 */
	<T extends @Nullable Object> T write(String cache, Object key, Supplier<T> work);

	/**
	 * Publishes a value after the commit of the current transaction, which has changed
	 * it. Nothing happens if that is rolled back. Two script calls. Outside of a
	 * transaction the order of writers is unknown, so there the entry is removed; use
	 * {@link #write}.
	 * @param value the value; {@code null} for absence
	 */
	void put(String cache, Object key, @Nullable Object value);

	/**
	 * Removes an entry, and all permits to fill it: after the commit of the current
	 * transaction, at two script calls, or at once if there is none, at one.
	 */
	void evict(String cache, Object key);

	/**
	 * Puts a value into a cache that is written behind; its {@code WriteBehindStore}
	 * writes it to the database a moment later. Readers of the cache have it at once. As
	 * {@link CacheWriteBehind}: one script call, and no part of any transaction.
	 * @param value the value; {@code null} to remove it
	 * @return the version of the change, as the store gets it
	 * @throws io.ge.redis.RedisUnavailableException if Redis has not taken the change, or
	 * it is unknown whether it has; other methods do not throw it
	 * @throws io.ge.redis.cache.WriteBehindFullException if too many keys wait for the
	 * store
	 * @throws IllegalArgumentException if the cache is not written behind, holds values
	 * of another type, or the value is larger than {@code ge.redis.cache.max-value-size}
	 */
	long writeBehind(String cache, Object key, @Nullable Object value);

	/**
	 * Makes all entries of a cache count as misses that have one of some tags: after the
	 * commit of the current transaction, or at once if there is none. One script call,
	 * however many entries there are. As {@link CacheInvalidate#tags()}.
	 * @param tags the tags, or one collection of them; each is text, a number, or, among
	 * several or in a collection, a list of those for a tag of several parts
	 */
	void invalidateTags(String cache, Object... tags);

	/**
	 * Makes all entries of a cache count as misses: after the commit of the current
	 * transaction, or at once if there is none. One script call, however many entries
	 * there are. As {@link CacheInvalidate#all()}.
	 */
	void clear(String cache);

	/**
	 * Returns a value from the cache, or loads it, without blocking. As
	 * {@link #get(String, Object, Class, Supplier)}; the loader is asked on a thread of
	 * the application. In a transaction of the calling thread it is waited for Redis
	 * there, so that the loader begins inside of it.
	 * @param loader begins to load the value; {@code null} is cached as absence
	 * @return completes with the value. Cancelling it cancels the load that has begun,
	 * and the next caller in line loads
	 * @throws IllegalArgumentException if an annotation gives the cache another type
	 */
	default <T> CompletionStage<@Nullable T> getAsync(String cache, Object key, Class<T> type,
			Supplier<? extends CompletionStage<? extends @Nullable T>> loader) {
		return getAsync(cache, key, reference(type), loader);
	}

	/**
	 * Returns a value like {@link #getAsync(String, Object, Class, Supplier)}, for a
	 * generic type.
	 * @param loader begins to load the value
	 * @return completes with the value
	 */
	<T> CompletionStage<@Nullable T> getAsync(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<? extends @Nullable T>> loader);

	/**
	 * Returns several values from the cache, or loads those that are not there, without
	 * blocking. As {@link #getAll(String, Collection, Class, Function)}, at the same
	 * number of script calls, and with transactions as {@link #getAsync}.
	 * @param loader begins to load the values of the keys that it is given; keys without
	 * a value are cached as absence
	 * @return completes with the values that there are, in the order of the keys.
	 * Cancelling it cancels the load that has begun
	 * @throws IllegalArgumentException if an annotation gives the cache another type
	 */
	default <K, T> CompletionStage<Map<K, T>> getAllAsync(String cache, Collection<? extends K> keys, Class<T> type,
			Function<? super List<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends @Nullable T>>> loader) {
		return getAllAsync(cache, keys, reference(type), loader);
	}

	/**
	 * Returns values like {@link #getAllAsync(String, Collection, Class, Function)}, for
	 * a generic type.
	 * @param loader begins to load the values of the keys that it is given
	 * @return completes with the values that there are, in the order of the keys
	 */
	<K, T> CompletionStage<Map<K, T>> getAllAsync(String cache, Collection<? extends K> keys,
			ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends @Nullable T>>> loader);

	/**
	 * Changes the database and publishes the new value, without blocking. As
	 * {@link CacheWriteThrough} on a method that returns a future: announced before the
	 * work begins, published when it ends; two script calls.
	 * @param work begins the change, whose end brings the new value
	 * @return completes with the result of the work, when that is published
	 */
	<T extends @Nullable Object> CompletionStage<T> writeAsync(String cache, Object key,
			Supplier<? extends CompletionStage<T>> work);

	/**
	 * Publishes a value without blocking, as {@link #put}: after the commit of the
	 * current transaction of the calling thread. If there is none, and so in a reactive
	 * one, the entry is removed at once.
	 * @param value the value; {@code null} for absence
	 * @return completes when the entry is removed, or the value is certain to be
	 * published with the commit
	 */
	CompletionStage<@Nullable Void> putAsync(String cache, Object key, @Nullable Object value);

	/**
	 * Removes an entry without blocking, as {@link #evict}, with the transaction of the
	 * calling thread. A reactive one is not seen: call it after its commit, or use
	 * {@link CacheInvalidate}.
	 * @return completes when the entry is removed, or is certain to be with the commit
	 */
	CompletionStage<@Nullable Void> evictAsync(String cache, Object key);

	/**
	 * Makes entries that have one of some tags count as misses without blocking, as
	 * {@link #invalidateTags}, with transactions as in {@link #evictAsync}.
	 * @param tags the tags, or one collection of them
	 * @return completes when they do, or are certain to with the commit
	 */
	CompletionStage<@Nullable Void> invalidateTagsAsync(String cache, Object... tags);

	/**
	 * Makes all entries of a cache count as misses without blocking, as {@link #clear},
	 * with transactions as in {@link #evictAsync}.
	 * @return completes when they do, or are certain to with the commit
	 */
	CompletionStage<@Nullable Void> clearAsync(String cache);

	/**
	 * Puts a value into a cache that is written behind without blocking, as
	 * {@link #writeBehind}.
	 * @param value the value; {@code null} to remove it
	 * @return completes with the version of the change, exceptionally if Redis has not
	 * taken it, or it is unknown whether it has
	 * @throws IllegalArgumentException as {@link #writeBehind}
	 */
	CompletionStage<Long> writeBehindAsync(String cache, Object key, @Nullable Object value);

	/**
	 * Returns caches that need no Redis, as they are injected where caches are switched
	 * off, and for unit tests. They keep nothing: each read asks its loader, each
	 * {@link #write} does its work, and {@link #writeBehind} drops the value.
	 * @return the caches
	 */
	static GeCaches unguarded() {
		return unguarded(List::of);
	}

	/**
	 * Returns caches as {@link #unguarded()} of which {@link #writeBehind} writes to the
	 * store of the cache, if there is one, before it returns.
	 * @param stores the stores of caches that are written behind
	 * @return the caches
	 */
	static GeCaches unguarded(Supplier<List<WriteBehindStore<?>>> stores) {
		return UnguardedGeCaches.over(stores);
	}

}
