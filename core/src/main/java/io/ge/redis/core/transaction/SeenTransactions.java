// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;

/**
 * Notes on reactive transactions that have been seen to begin. A transaction whose begin
 * is cancelled never completes, so each is known for as long as it is referenced.
 */
public final class SeenTransactions<V> {

	private final Map<TransactionExecution, V> seen = new WeakHashMap<>();

	private final Lock guard = new ReentrantLock();

	public void put(TransactionExecution transaction, V known) {
		guarded(() -> this.seen.put(transaction, known));
	}

	public @Nullable V get(TransactionExecution transaction) {
		return guarded(() -> this.seen.get(transaction));
	}

	public @Nullable V remove(TransactionExecution transaction) {
		return guarded(() -> this.seen.remove(transaction));
	}

	public void forEach(BiConsumer<TransactionExecution, V> look) {
		guarded(() -> Map.copyOf(this.seen)).forEach(look);
	}

	private <T extends @Nullable Object> T guarded(Supplier<T> access) {
		this.guard.lock();
		try {
			return access.get();
		}
		finally {
			this.guard.unlock();
		}
	}

}
