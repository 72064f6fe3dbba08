// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Ties writers to transactions that Spring binds to a thread.
 * <p>
 * A writer that is called inside of a transaction belongs to it: it is announced right
 * before that commits, after the flush and while rows are locked, and resolved right
 * after. Any other one is announced before each commit that happens while its method
 * runs, on whichever transaction manager, and resolved when the method returns.
 * <p>
 * Managers that know no {@link TransactionExecutionListener} are seen through a
 * synchronization, from the first writer on. What is changed in callbacks of a
 * transaction's end takes effect at once, as without a transaction.
 */
public final class CacheTransactions implements TransactionExecutionListener {

	/** Work of threads that are inside of nothing; stays empty. */
	private static final OpenWork NONE = new OpenWork();

	private final WriteSteps steps;

	private final ThreadLocal<OpenWork> work = new ThreadLocal<>();

	/** When the youngest transaction began that was rolled back, or perhaps so. */
	private final AtomicLong rolledBack = new AtomicLong(System.nanoTime());

	/** When a transaction that may write has committed on the thread, if one has. */
	private final ThreadLocal<Long> written = new ThreadLocal<>();

	public CacheTransactions(WriteSteps steps) {
		this.steps = steps;
	}

	// Readers

	/**
	 * Returns whether the current thread is changing an entry, so that a reader of it
	 * must see the database.
	 */
	public boolean isWriting(CacheKey key) {
		return known().isWriting(key);
	}

	public boolean isPassingBy(CacheKey key) {
		OpenWork current = known();
		return current.isLoading(key) || current.isWriting(key);
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
	public boolean hasWrittenSince(long since) {
		Long last = this.written.get();
		return last != null && last - since >= 0;
	}

	/**
	 * Returns whether changes of the current thread are part of a transaction. They are
	 * not once that has ended, although Spring releases it only after the callbacks.
	 */
	public boolean isInTransaction() {
		// The synchronization ends before callbacks hear how the transaction has ended
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			return false;
		}
		ThreadTransaction transaction = current();
		return transaction == null || !transaction.committed;
	}

	/**
	 * Returns whether a writer of an entry is running on the current thread. What is
	 * written inside of it is part of it.
	 */
	public boolean isInsideWriter(CacheKey key) {
		return known().isInsideWriter(key, false);
	}

	/**
	 * Returns the same as {@link #isInsideWriter}, only for writers whose work ends later
	 * than their methods.
	 */
	boolean isInsideAsyncWriter(CacheKey key) {
		return known().isInsideWriter(key, true);
	}

	public Snapshot snapshot() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return Snapshot.NONE;
		}
		ThreadTransaction transaction = current();
		return (transaction != null) ? transaction.snapshot() : Snapshot.UNDATED;
	}

	/**
	 * Returns whether the current thread loads an entry, which it must not wait for then.
	 */
	public boolean isLoading(CacheKey key) {
		return known().isLoading(key);
	}

	/**
	 * Enters the loading of an entry on the current thread.
	 * @return whether the thread does not load it already
	 */
	public boolean beginLoad(CacheKey key) {
		if (isLoading(key)) {
			return false;
		}
		work().beginLoad(key);
		return true;
	}

	/**
	 * Leaves the loading of an entry, perhaps before what was entered afterwards.
	 */
	public void endLoad(CacheKey key) {
		OpenWork current = work();
		current.endLoad(key);
		tidy(current);
	}

	// Writers

	/**
	 * Has writers of an entry that are under way on this thread remove it: code inside of
	 * them knows of a change that their value may not include.
	 */
	void dropValues(CacheKey key) {
		known().dropValues(key);
	}

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
				current.enter(write);
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
			writes.forEach(current::leave);
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
			transaction = new ThreadTransaction(null, 0);
			work().push(transaction);
		}
		if (!transaction.synchronizing) {
			transaction.synchronizing = true;
			TransactionSynchronizationManager.registerSynchronization(new Synchronization(transaction));
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
		return current.transaction();
	}

	// Transactions

	@Override
	public void beforeBegin(TransactionExecution execution) {
		if (!execution.isNested()) {
			work().beginning();
		}
	}

	@Override
	public void afterBegin(TransactionExecution execution, @Nullable Throwable beginFailure) {
		if (execution.isNested()) {
			return;
		}
		OpenWork current = work();
		dropEnded(current);
		if (beginFailure != null) {
			tidy(current);
			return;
		}
		current.begun(execution);
	}

	@Override
	public void beforeCommit(TransactionExecution execution) {
		ThreadTransaction transaction = find(execution);
		if (transaction != null) {
			beforeCommit(transaction, () -> {
				if (execution instanceof TransactionStatus status) {
					status.flush();
				}
			});
			if (!execution.isReadOnly()) {
				this.written.set(System.nanoTime());
			}
			if (execution instanceof DefaultTransactionStatus status && status.isNewSynchronization()) {
				noteCommit(transaction);
			}
		}
	}

	// Before callbacks of the application hear of it
	private static void noteCommit(ThreadTransaction transaction) {
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

	@Override
	public void afterCommit(TransactionExecution execution, @Nullable Throwable commitFailure) {
		completed(find(execution), (commitFailure == null) ? TransactionSynchronization.STATUS_COMMITTED
				: TransactionSynchronization.STATUS_UNKNOWN);
	}

	@Override
	public void afterRollback(TransactionExecution execution, @Nullable Throwable rollbackFailure) {
		completed(find(execution), (rollbackFailure == null) ? TransactionSynchronization.STATUS_ROLLED_BACK
				: TransactionSynchronization.STATUS_UNKNOWN);
	}

	private @Nullable ThreadTransaction find(TransactionExecution execution) {
		return known().find(execution);
	}

	private void beforeCommit(ThreadTransaction transaction, Runnable flush) {
		List<CacheWrite> announced = new ArrayList<>(transaction.writes);
		if (!transaction.isReadOnly()) {
			announced.addAll(work().running());
		}
		announced.removeIf((write) -> !write.isAnnouncing());
		if (announced.isEmpty()) {
			return;
		}
		// Rows are locked when the changes have reached the database, not earlier
		flush.run();
		Waiting.await(this.steps.announce(announced, true));
		WriteSteps.requireAnnounced(announced);
	}

	private void completed(@Nullable ThreadTransaction transaction, int status) {
		if (transaction != null) {
			OpenWork current = work();
			current.completed(transaction, status);
			if (transaction.end()) {
				settle(transaction, status);
			}
			tidy(current);
		}
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
		ThreadTransaction transaction = current.transaction();
		while (transaction != null && transaction.isOver()) {
			current.completed(transaction, TransactionSynchronization.STATUS_UNKNOWN);
			if (transaction.end()) {
				settle(transaction, TransactionSynchronization.STATUS_UNKNOWN);
			}
			transaction = current.transaction();
		}
	}

	private OpenWork known() {
		OpenWork current = this.work.get();
		return (current != null) ? current : NONE;
	}

	private OpenWork work() {
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

	/**
	 * Observes savepoints, commits whose outcome is unknown, and everything about
	 * transactions whose manager knows no listeners.
	 */
	private final class Synchronization implements TransactionSynchronization {

		private final ThreadTransaction transaction;

		Synchronization(ThreadTransaction transaction) {
			this.transaction = transaction;
		}

		@Override
		public void suspend() {
			if (this.transaction.isForeign()) {
				work().remove(this.transaction);
			}
		}

		@Override
		public void resume() {
			if (this.transaction.isForeign()) {
				work().push(this.transaction);
			}
		}

		@Override
		public void savepoint(Object savepoint) {
			this.transaction.savepoint(savepoint);
		}

		@Override
		public void savepointRollback(Object savepoint) {
			this.transaction.rollbackTo(savepoint);
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (this.transaction.isForeign()) {
				CacheTransactions.this.beforeCommit(this.transaction, TransactionSynchronizationUtils::triggerFlush);
			}
		}

		@Override
		public void afterCompletion(int status) {
			if (this.transaction.isForeign() || status == STATUS_UNKNOWN) {
				completed(this.transaction, status);
			}
		}

	}

}
