/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;

/**
 * Notes on reactive transactions that have been seen to begin. One whose begin is
 * cancelled is never heard of again, so each is known for as long as somebody has it.
 */
public final class SeenTransactions<V> {

	private final Map<TransactionExecution, V> seen = new WeakHashMap<>();

	private final Lock guard = new ReentrantLock();

	public void put(TransactionExecution transaction, V known) {
		this.guard.lock();
		try {
			this.seen.put(transaction, known);
		}
		finally {
			this.guard.unlock();
		}
	}

	public @Nullable V get(TransactionExecution transaction) {
		this.guard.lock();
		try {
			return this.seen.get(transaction);
		}
		finally {
			this.guard.unlock();
		}
	}

	public @Nullable V remove(TransactionExecution transaction) {
		this.guard.lock();
		try {
			return this.seen.remove(transaction);
		}
		finally {
			this.guard.unlock();
		}
	}

	public void forEach(BiConsumer<TransactionExecution, V> look) {
		List<Map.Entry<TransactionExecution, V>> all = new ArrayList<>();
		this.guard.lock();
		try {
			this.seen.forEach((transaction, known) -> all.add(Map.entry(transaction, known)));
		}
		finally {
			this.guard.unlock();
		}
		all.forEach((each) -> look.accept(each.getKey(), each.getValue()));
	}

}
