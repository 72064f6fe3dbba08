/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.cache.behind.Change;
import io.ge.redis.cache.behind.WriteBehindStore;
import io.ge.redis.core.ProcessClock;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes to their stores at once, since nobody would do so later. Those of caches
 * whose store another application has are dropped.
 */
final class UnguardedBehindWriter implements BehindWriter {

	private final Supplier<List<WriteBehindStore<?>>> stores;

	UnguardedBehindWriter(Supplier<List<WriteBehindStore<?>>> stores) {
		this.stores = stores;
	}

	@Override
	public long write(CacheKey key, @Nullable Object value) {
		long version = ProcessClock.next();
		for (WriteBehindStore<?> store : this.stores.get()) {
			if (store.cache().equals(key.cache())) {
				write(store, new Change<>(key.parts(), value, version));
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

	@Override
	public CompletionStage<Long> writeAsync(CacheKey key, @Nullable Object value) {
		return CompletableFuture.supplyAsync(() -> write(key, value));
	}

}
