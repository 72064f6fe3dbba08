/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.behind.Change;
import io.ge.redis.cache.behind.WriteBehindStore;
import io.ge.redis.core.ProcessClock;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Loads every value: see {@link GeCaches#unguarded()}.
 */
final class UnguardedGeCaches implements GeCaches {

	private final Supplier<List<WriteBehindStore<?>>> stores;

	UnguardedGeCaches(Supplier<List<WriteBehindStore<?>>> stores) {
		this.stores = stores;
	}

	@Override
	public <T> @Nullable T get(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends @Nullable T> loader) {
		return loader.get();
	}

	@Override
	public <K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader) {
		List<K> distinct = distinct(keys);
		return present(distinct, loader.apply(distinct));
	}

	private static <K> List<K> distinct(Collection<? extends K> keys) {
		return List.copyOf(new LinkedHashSet<>(keys));
	}

	private static <K, T> Map<K, T> present(List<K> keys, Map<? extends K, ? extends @Nullable T> loaded) {
		Map<K, T> present = new LinkedHashMap<>();
		for (K key : keys) {
			T value = loaded.get(key);
			if (value != null) {
				present.put(key, value);
			}
		}
		return present;
	}

	@Override
	public <T extends @Nullable Object> T write(String cache, Object key, Supplier<T> work) {
		return work.get();
	}

	@Override
	public void put(String cache, Object key, @Nullable Object value) {
		// nothing is kept
	}

	@Override
	public void evict(String cache, Object key) {
		// nothing is kept
	}

	@Override
	public long writeBehind(String cache, Object key, @Nullable Object value) {
		return writeBehind(cache, parts(cache, key), value);
	}

	private long writeBehind(String cache, List<String> key, @Nullable Object value) {
		long version = ProcessClock.next();
		for (WriteBehindStore<?> store : this.stores.get()) {
			if (store.cache().equals(cache)) {
				write(store, new Change<>(key, value, version));
			}
		}
		return version;
	}

	@SuppressWarnings("unchecked")
	private static void write(WriteBehindStore<?> store, Change<?> change) {
		try {
			((WriteBehindStore<Object>) store).writeAll(List.of((Change<Object>) change));
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The store of cache '" + store.cache() + "' has not taken a change", ex);
		}
	}

	private static List<String> parts(String cache, Object key) {
		return KeyText.of(key, "The key of cache '" + cache + "'");
	}

	@Override
	public void invalidateTags(String cache, Object... tags) {
		// nothing is kept
	}

	@Override
	public void clear(String cache) {
		// nothing is kept
	}

	@Override
	public <T> CompletionStage<@Nullable T> getAsync(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<? extends @Nullable T>> loader) {
		return begin(loader);
	}

	@Override
	public <K, T> CompletionStage<Map<K, T>> getAllAsync(String cache, Collection<? extends K> keys,
			ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends @Nullable T>>> loader) {
		List<K> distinct = distinct(keys);
		return begin(() -> loader.apply(distinct)).thenApply((loaded) -> present(distinct, loaded));
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> writeAsync(String cache, Object key,
			Supplier<? extends CompletionStage<T>> work) {
		return begin(work);
	}

	// On this thread, in its transaction
	private static <S extends @Nullable Object> CompletionStage<S> begin(
			Supplier<? extends CompletionStage<? extends S>> work) {
		try {
			return work.get().thenApply((value) -> value);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	@Override
	public CompletionStage<Long> writeBehindAsync(String cache, Object key, @Nullable Object value) {
		List<String> parts = parts(cache, key);
		return CompletableFuture.supplyAsync(() -> writeBehind(cache, parts, value));
	}

}
