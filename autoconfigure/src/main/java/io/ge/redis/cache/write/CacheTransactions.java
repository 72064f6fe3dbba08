/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Ties writers to transactions. Spring binds transactions of this kind to a thread, and
 * so does this class.
 * <p>
 * A writer that is called inside of a transaction belongs to it: it is announced right
 * before that commits, after everything was flushed and while rows are still locked, and
 * resolved right after. A writer that is called outside of one, or whose method opens its
 * own, is announced before each commit that happens while its method runs, on whichever
 * transaction manager, and resolved when the method returns.
 * <p>
 * A value is published only where its place among the commits is certain: if exactly one
 * commit was involved. A ticket taken at a second commit would put a value of the first
 * one after what others have committed in between; so there the entry is removed.
 * <p>
 * Spring tells a {@link TransactionExecutionListener} of every begin, commit and rollback
 * of the managers that it is registered with, of participating and suspended transactions
 * in the proper order, and as the last before a commit. Managers that know no listeners
 * are seen through a synchronization, from the first writer on.
 */
public final class CacheTransactions implements TransactionExecutionListener {

	private final WriteSteps steps;

	private final ThreadLocal<OpenWork> work = new ThreadLocal<>();

	private final Rollbacks rollbacks = new Rollbacks();

	public CacheTransactions(WriteSteps steps) {
		this.steps = steps;
	}

	// Readers

	/**
	 * Returns whether the current thread is changing an entry, so that a reader of it
	 * must see the database.
	 */
	public boolean isWriting(CacheKey key) {
		OpenWork current = this.work.get();
		return current != null && current.isWriting(key);
	}

	/**
	 * Returns whether the current thread is changing an entry, or loading it.
	 */
	public boolean isPassingBy(CacheKey key) {
		OpenWork current = this.work.get();
		return current != null && (current.isLoading(key) || current.isWriting(key));
	}

	/**
	 * Returns the transactions that were rolled back, on whichever thread.
	 */
	Rollbacks rollbacks() {
		return this.rollbacks;
	}

	/**
	 * Returns whether a writer of an entry is running on the current thread. What is
	 * written inside of it is part of it.
	 */
	public boolean isInsideWriter(CacheKey key) {
		OpenWork current = this.work.get();
		return current != null && current.isInsideWriter(key);
	}

	/**
	 * As {@link #isInsideWriter}, of those only whose work ends later than their methods.
	 */
	boolean isInsideAsyncWriter(CacheKey key) {
		OpenWork current = this.work.get();
		return current != null && current.isInsideAsyncWriter(key);
	}

	/**
	 * Returns as of when a reader sees the database.
	 */
	public Snapshot snapshot() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return Snapshot.NONE;
		}
		OpenTransaction transaction = current();
		return (transaction != null) ? transaction.snapshot() : Snapshot.UNDATED;
	}

	/**
	 * Returns whether the current thread loads an entry, which it must not wait for then.
	 */
	public boolean isLoading(CacheKey key) {
		OpenWork current = this.work.get();
		return current != null && current.isLoading(key);
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

	public void endLoad() {
		OpenWork current = work();
		current.endLoad();
		tidy(current);
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
	 * Enters a writer, before its method runs.
	 */
	void begin(CacheWrite write) {
		// What is over before it begins does not count for it
		dropEnded(work());
		TransactionBoundary.Kind kind = write.boundary().kind();
		write.owner = (kind == TransactionBoundary.Kind.SUSPENDED) ? null : joinCurrent();
		OpenWork current = work();
		boolean opensItsOwn = kind == TransactionBoundary.Kind.OWN_OR_CALLERS || kind == TransactionBoundary.Kind.NEW;
		if (write.owner == null && !opensItsOwn) {
			write.exposed = true;
			announceBare(write, current);
		}
		current.enter(write);
	}

	private void announceBare(CacheWrite write, OpenWork current) {
		try {
			this.steps.announce(List.of(write), false);
		}
		catch (RuntimeException ex) {
			tidy(current);
			this.steps.takeBack(write);
			throw ex;
		}
	}

	/**
	 * Leaves a writer whose method has returned.
	 * @param value the value to publish, or {@code null} if the entry is to be removed
	 */
	void returned(CacheWrite write, @Nullable NewValue value) {
		leave(write);
		OpenTransaction owner = openOwner(write);
		if (owner != null) {
			write.value((write.commits == 0) ? value : null);
			owner.add(write);
			return;
		}
		if (write.isTraceless() && write.rollbacks > 0) {
			this.steps.forget(write);
			return;
		}
		boolean certain = write.rollbacks == 0 && isOneChange(write);
		write.value(certain ? value : null);
		this.steps.resolve(List.of(write));
	}

	private static boolean isOneChange(CacheWrite write) {
		if (write.isOrdered()) {
			return write.commits == 1;
		}
		return write.isAnnouncing() || write.commits <= 1;
	}

	/**
	 * Has writers of an entry that are under way on this thread remove it: whoever says
	 * so inside of them knows of a change that their value may be without.
	 */
	void dropValues(CacheKey key) {
		OpenWork current = this.work.get();
		if (current != null) {
			current.dropValues(key);
		}
	}

	/**
	 * Leaves a writer whose method has thrown.
	 */
	void failed(CacheWrite write) {
		leave(write);
		write.value(null);
		OpenTransaction owner = openOwner(write);
		if (owner != null) {
			owner.add(write);
		}
		else if (write.isTraceless()) {
			this.steps.forget(write);
		}
		else if (write.isOrdered() && write.commits == 0) {
			this.steps.takeBack(write);
		}
		else {
			this.steps.resolve(List.of(write));
		}
	}

	/**
	 * Enters writers on the current thread whose work only begins there.
	 */
	void enter(List<CacheWrite> writes) {
		if (!writes.isEmpty()) {
			OpenWork current = work();
			for (CacheWrite write : writes) {
				write.async = true;
				current.enter(write);
			}
		}
	}

	/**
	 * Leaves writers whose work has begun, or has ended already, if they were entered on
	 * the current thread.
	 */
	void leave(List<CacheWrite> writes) {
		if (!writes.isEmpty()) {
			OpenWork current = work();
			writes.forEach(current::leave);
			tidy(current);
		}
	}

	/**
	 * Adds a write without a method to the current transaction.
	 * @return whether there is one
	 */
	boolean add(CacheWrite write) {
		OpenTransaction transaction = joinCurrent();
		if (transaction == null) {
			return false;
		}
		write.owner = transaction;
		transaction.add(write);
		return true;
	}

	private void leave(CacheWrite write) {
		OpenWork current = work();
		// Counts for the writer, too
		dropEnded(current);
		current.leave(write);
		tidy(current);
	}

	private static @Nullable OpenTransaction openOwner(CacheWrite write) {
		OpenTransaction owner = write.owner;
		return (owner != null && !owner.isOver()) ? owner : null;
	}

	private @Nullable OpenTransaction joinCurrent() {
		OpenTransaction transaction = current();
		if (transaction == null && TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			transaction = new OpenTransaction(null, 0);
			work().push(transaction);
		}
		if (transaction != null && !transaction.synchronizing
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			transaction.synchronizing = true;
			TransactionSynchronizationManager.registerSynchronization(new Synchronization(transaction));
		}
		return transaction;
	}

	private @Nullable OpenTransaction current() {
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
		OpenTransaction transaction = find(execution);
		if (transaction != null) {
			beforeCommit(transaction, () -> {
				if (execution instanceof TransactionStatus status) {
					status.flush();
				}
			});
		}
	}

	@Override
	public void afterCommit(TransactionExecution execution, @Nullable Throwable commitFailure) {
		OpenTransaction transaction = find(execution);
		if (transaction != null) {
			committed(transaction, commitFailure == null);
		}
	}

	@Override
	public void afterRollback(TransactionExecution execution, @Nullable Throwable rollbackFailure) {
		OpenTransaction transaction = find(execution);
		if (transaction == null) {
			return;
		}
		if (rollbackFailure != null) {
			committed(transaction, false);
		}
		else {
			rolledBack(transaction);
		}
	}

	private @Nullable OpenTransaction find(TransactionExecution execution) {
		OpenWork current = this.work.get();
		return (current != null) ? current.find(execution) : null;
	}

	private void beforeCommit(OpenTransaction transaction, Runnable flush) {
		List<CacheWrite> announced = new ArrayList<>(transaction.writes());
		if (!transaction.isReadOnly()) {
			announced.addAll(work().running());
		}
		announced.removeIf((write) -> !write.isAnnouncing());
		if (announced.isEmpty()) {
			return;
		}
		// Rows are locked when the changes have reached the database, not earlier
		flush.run();
		this.steps.announce(announced, true);
	}

	private void committed(OpenTransaction transaction, boolean certainly) {
		if (!transaction.end()) {
			return;
		}
		OpenWork current = work();
		current.committed(transaction, certainly);
		resolve(transaction, certainly);
		tidy(current);
	}

	private void resolve(OpenTransaction transaction, boolean certainly) {
		if (!certainly) {
			this.rollbacks.add(transaction.began());
			transaction.removeValues();
		}
		if (!transaction.writes().isEmpty()) {
			this.steps.resolve(transaction.writes());
		}
	}

	private void rolledBack(OpenTransaction transaction) {
		if (!transaction.end()) {
			return;
		}
		OpenWork current = work();
		current.rolledBack(transaction);
		this.rollbacks.add(transaction.began());
		for (CacheWrite write : transaction.writes()) {
			if (write.commits > 0) {
				write.value(null);
				this.steps.resolve(List.of(write));
			}
			else {
				this.steps.takeBack(write);
			}
		}
		tidy(current);
	}

	// A transaction whose end nobody reported may have been committed all the same. One
	// whose end was reported on another thread is settled, but is left here only now. The
	// work stays that of the thread although it may be empty: the caller goes on with it
	private void dropEnded(OpenWork current) {
		OpenTransaction transaction = current.transaction();
		while (transaction != null && transaction.isOver()) {
			current.committed(transaction, false);
			if (transaction.end()) {
				resolve(transaction, false);
			}
			transaction = current.transaction();
		}
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

		private final OpenTransaction transaction;

		Synchronization(OpenTransaction transaction) {
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
			if (status == STATUS_UNKNOWN) {
				committed(this.transaction, false);
			}
			else if (this.transaction.isForeign() && status == STATUS_COMMITTED) {
				committed(this.transaction, true);
			}
			else if (this.transaction.isForeign()) {
				rolledBack(this.transaction);
			}
		}

	}

}
