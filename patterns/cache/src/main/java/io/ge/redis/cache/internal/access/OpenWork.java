// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

import io.ge.redis.cache.internal.engine.CacheKey;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The work that one thread is inside of, innermost first: transactions, writers whose
 * methods run, and loading.
 */
final class OpenWork {

	private final Deque<ThreadTransaction> transactions = new ArrayDeque<>(2);

	private final Deque<CacheWrite> running = new ArrayDeque<>(2);

	private final Deque<CacheKey> loading = new ArrayDeque<>(2);

	private long beginning;

	boolean isEmpty() {
		return this.transactions.isEmpty() && this.running.isEmpty() && this.loading.isEmpty();
	}

	boolean isWriting(CacheKey key) {
		for (CacheWrite write : this.running) {
			if (write.key.covers(key)) {
				return true;
			}
		}
		for (ThreadTransaction transaction : this.transactions) {
			if (transaction.isWriting(key)) {
				return true;
			}
		}
		return false;
	}

	// Loading

	boolean isLoading(CacheKey key) {
		return this.loading.contains(key);
	}

	void beginLoad(CacheKey key) {
		this.loading.push(key);
	}

	void endLoad(CacheKey key) {
		this.loading.remove(key);
	}

	// Writers

	void enter(CacheWrite write) {
		this.running.push(write);
	}

	void leave(CacheWrite write) {
		this.running.remove(write);
	}

	Collection<CacheWrite> running() {
		return this.running;
	}

	boolean isInsideWriter(CacheKey key, boolean async) {
		return this.running.stream().anyMatch((write) -> (write.async || !async) && write.key.equals(key));
	}

	void dropValues(CacheKey key) {
		this.running.stream().filter((write) -> write.key.equals(key)).forEach(CacheWrite::dropValue);
	}

	// Transactions

	@Nullable ThreadTransaction transaction() {
		return this.transactions.peek();
	}

	@Nullable ThreadTransaction find(TransactionExecution execution) {
		return this.transactions.stream().filter((each) -> each.is(execution)).findFirst().orElse(null);
	}

	void beginning() {
		this.beginning = System.nanoTime();
	}

	/**
	 * Enters the transaction that was about to begin. Writers that it was begun for do
	 * not belong to the one around it.
	 */
	void begun(TransactionExecution execution) {
		push(new ThreadTransaction(execution, this.beginning));
		for (CacheWrite write : this.running) {
			if (write.commits > 0 || !write.boundary.begins(execution.getTransactionName())) {
				break;
			}
			write.owner = null;
		}
	}

	void push(ThreadTransaction transaction) {
		this.transactions.push(transaction);
	}

	boolean remove(ThreadTransaction transaction) {
		return this.transactions.remove(transaction);
	}

	/**
	 * Leaves a transaction that was completed while writers ran.
	 */
	void completed(ThreadTransaction transaction, int status) {
		boolean rolledBack = status == TransactionSynchronization.STATUS_ROLLED_BACK;
		if (!remove(transaction) || (transaction.isReadOnly() && !rolledBack)) {
			return;
		}
		for (CacheWrite write : this.running) {
			write.commits += rolledBack ? 0 : 1;
			write.rollbacks += (status == TransactionSynchronization.STATUS_COMMITTED) ? 0 : 1;
		}
	}

}
