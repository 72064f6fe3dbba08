// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.transaction.ObservedTransactions;
import io.ge.redis.core.transaction.ThreadTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Ties writers to transactions that Spring binds to a thread.
 * <p>
 * A writer that is called inside of a transaction belongs to it: it is announced right
 * before that commits, after the flush and while rows are locked, and resolved right
 * after. Any other one is announced before each commit that happens while its method
 * runs, on whichever transaction manager, and resolved when the method returns.
 * <p>
 * Managers that know no {@code TransactionExecutionListener} are seen through a
 * synchronization, from the first writer on. What is changed in callbacks of a
 * transaction's end takes effect at once, as without a transaction.
 */
final class CacheTransactions extends ObservedTransactions<ThreadTransaction> {

	private final WriteSteps steps;

	private final ThreadLocal<OpenWork> work = new ThreadLocal<>();

	/** When the youngest transaction began that was rolled back, or perhaps so. */
	private final AtomicLong rolledBack = new AtomicLong(System.nanoTime());

	/** When a transaction that may write has committed on the thread, if one has. */
	private final ThreadLocal<Long> written = new ThreadLocal<>();

	CacheTransactions(WriteSteps steps) {
		this.steps = steps;
	}

	// Readers

	/**
	 * Returns whether the current thread is changing an entry, so that a reader of it
	 * must see the database.
	 */
	boolean isWriting(CacheKey key) {
		return known().isWriting(key);
	}

	/**
	 * Notes that a transaction was rolled back, or perhaps so.
	 * @param began when it began, or when it was rolled back if that is not known, as of
	 * the system's nano time
	 */
	void rolledBack(long began) {
		this.rolledBack.accumulateAndGet(began, (last, next) -> (next - last > 0) ? next : last);
	}

	/**
	 * Returns whether any transaction that has begun since, on whichever thread or of
	 * whichever subscriber, was rolled back.
	 */
	boolean isAnyRolledBackSince(long begin) {
		return this.rolledBack.get() - begin > 0;
	}

	/**
	 * Returns whether a transaction that may write has committed on this thread since a
	 * time.
	 * @param since the time, by {@link System#nanoTime()}
	 */
	boolean hasWrittenSince(long since) {
		Long last = this.written.get();
		return last != null && last - since >= 0;
	}

	/**
	 * Returns whether changes of the current thread are part of a transaction. They are
	 * not once that has ended, although Spring releases it only after the callbacks.
	 */
	boolean isInTransaction() {
		// The synchronization ends before callbacks hear how the transaction has ended
		if (!ThreadTransactions.isActive()) {
			return false;
		}
		ThreadTransaction transaction = current();
		return transaction == null || !transaction.committed;
	}

	/**
	 * Returns whether a writer of an entry is running on the current thread. What is
	 * written inside of it is part of it.
	 */
	boolean isInsideWriter(CacheKey key) {
		return known().isInsideWriter(key, false);
	}

	Snapshot snapshot() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return Snapshot.NONE;
		}
		ThreadTransaction transaction = current();
		return (transaction != null) ? transaction.snapshot() : Snapshot.UNDATED;
	}

	/**
	 * Enters the loading of an entry on the current thread.
	 * @return whether the thread does not load it already
	 */
	boolean beginLoad(CacheKey key) {
		if (known().loading.contains(key)) {
			return false;
		}
		work().loading.push(key);
		return true;
	}

	/**
	 * Leaves the loading of an entry, perhaps before what was entered afterwards.
	 */
	void endLoad(CacheKey key) {
		OpenWork current = work();
		current.loading.remove(key);
		tidy(current);
	}

	// Writers

	/**
	 * Enters writers whose work begins on the current thread.
	 * @param async whether it ends later than their methods
	 */
	void enter(List<CacheWrite> writes, boolean async) {
		if (!writes.isEmpty()) {
			OpenWork current = work();
			// What is over before they begin does not count for them
			dropEnded(current);
			for (CacheWrite write : writes) {
				write.async = async;
				current.running.push(write);
			}
		}
	}

	/**
	 * Leaves writers whose work has ended, or continues elsewhere, if they were entered
	 * on the current thread.
	 */
	void leave(List<CacheWrite> writes) {
		if (!writes.isEmpty()) {
			OpenWork current = work();
			// Counts for them, too
			dropEnded(current);
			current.running.removeAll(writes);
			tidy(current);
		}
	}

	/**
	 * Adds a write without a method to the current transaction.
	 * @return whether there is one
	 */
	boolean add(CacheWrite write) {
		ThreadTransaction transaction = join();
		return transaction != null && transaction.add(write);
	}

	/**
	 * Takes part in the current transaction. If it has committed, what was changed in it
	 * is published first: what the caller is about to change comes after that.
	 * @return the transaction, or {@code null} if there is none
	 */
	@Nullable ThreadTransaction join() {
		ThreadTransaction transaction = current();
		if (!isInTransaction()) {
			if (transaction != null && transaction.committed && transaction.end()) {
				settle(transaction, TransactionSynchronization.STATUS_COMMITTED);
			}
			return null;
		}
		if (transaction == null) {
			transaction = new ThreadTransaction(this, null);
			work().transactions.push(transaction);
		}
		if (!transaction.synchronizing) {
			transaction.synchronizing = true;
			TransactionSynchronizationManager.registerSynchronization(transaction);
		}
		return transaction;
	}

	private @Nullable ThreadTransaction current() {
		OpenWork current = this.work.get();
		if (current == null || !TransactionSynchronizationManager.isActualTransactionActive()) {
			return null;
		}
		dropEnded(current);
		tidy(current);
		return current.transactions.peek();
	}

	// Transactions

	@Override
	protected @Nullable ThreadTransaction beginning(TransactionExecution execution) {
		return execution.isNested() ? null : new ThreadTransaction(this, execution);
	}

	void begun(ThreadTransaction transaction, @Nullable String name) {
		OpenWork current = work();
		dropEnded(current);
		current.begun(transaction, name);
	}

	/**
	 * Announces the writers that a transaction may commit.
	 * @param flush brings the changes to the database, where rows are locked then
	 */
	CompletionStage<?> announce(ThreadTransaction transaction, Runnable flush) {
		List<CacheWrite> announced = new ArrayList<>(transaction.writes);
		if (!transaction.isReadOnly()) {
			announced.addAll(known().running);
		}
		announced.removeIf((write) -> !write.isAnnouncing());
		if (!announced.isEmpty()) {
			flush.run();
		}
		return this.steps.announceCommit(announced);
	}

	/**
	 * Notes that the transaction of this thread is about to commit.
	 */
	void committing(ThreadTransaction transaction) {
		if (!transaction.isReadOnly()) {
			this.written.set(System.nanoTime());
		}
		if (ThreadTransactions.isActive()) {
			// Before callbacks of the application hear of it
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return HIGHEST_PRECEDENCE;
				}

				@Override
				public void afterCommit() {
					transaction.committed = true;
				}

			});
		}
	}

	void completed(ThreadTransaction transaction, int status) {
		OpenWork current = work();
		current.completed(transaction, status);
		if (transaction.end()) {
			settle(transaction, status);
		}
		tidy(current);
	}

	private void settle(ThreadTransaction transaction, int status) {
		boolean committed = status == TransactionSynchronization.STATUS_COMMITTED;
		if (!committed) {
			rolledBack(transaction.began());
		}
		if (transaction.writes.isEmpty()) {
			return;
		}
		List<CompletableFuture<CacheEvent.Write>> ends = new ArrayList<>();
		for (CacheWrite write : transaction.writes) {
			if (!committed) {
				write.value(null);
			}
			boolean undone = status == TransactionSynchronization.STATUS_ROLLED_BACK && write.commits == 0;
			ends.add(undone ? this.steps.rollBack(write) : this.steps.resolve(write));
		}
		this.steps.publishEvents(Waiting.await(WriteSteps.all(ends)));
	}

	// A transaction whose end was not reported may have been committed all the same. One
	// whose end was reported on another thread is settled, but is left here only now. The
	// thread keeps the work although it may be empty: the caller continues with it
	private void dropEnded(OpenWork current) {
		ThreadTransaction transaction = current.transactions.peek();
		while (transaction != null && transaction.isOver()) {
			current.completed(transaction, TransactionSynchronization.STATUS_UNKNOWN);
			if (transaction.end()) {
				settle(transaction, TransactionSynchronization.STATUS_UNKNOWN);
			}
			transaction = current.transactions.peek();
		}
	}

	OpenWork known() {
		OpenWork current = this.work.get();
		return (current != null) ? current : OpenWork.NONE;
	}

	OpenWork work() {
		OpenWork current = this.work.get();
		if (current == null) {
			current = new OpenWork();
			this.work.set(current);
		}
		return current;
	}

	private void tidy(OpenWork current) {
		if (current.isEmpty()) {
			this.work.remove();
		}
	}

}
