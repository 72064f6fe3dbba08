// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * A transaction of the current thread. Knows savepoints: what came after one that is
 * rolled back to is not published.
 */
final class ThreadTransaction extends OpenTransaction implements TransactionParticipant, TransactionSynchronization {

	private final CacheTransactions transactions;

	private final WeakReference<TransactionExecution> execution;

	private final boolean foreign;

	private final boolean readOnly;

	private final long began = System.nanoTime();

	private final Map<Object, List<CacheWrite>> savepoints = new IdentityHashMap<>(0);

	private BooleanSupplier over = super::isOver;

	/** Whether it takes part by a synchronization. */
	boolean synchronizing;

	/** Whether it has committed, and callbacks of the application run. */
	boolean committed;

	/**
	 * Creates a transaction.
	 * @param execution the transaction, or {@code null} if its manager does not report it
	 */
	ThreadTransaction(CacheTransactions transactions, @Nullable TransactionExecution execution) {
		this.transactions = transactions;
		this.execution = new WeakReference<>(execution);
		this.foreign = execution == null;
		this.readOnly = execution != null && execution.isReadOnly();
	}

	boolean isReadOnly() {
		return this.readOnly;
	}

	@Override
	boolean isOver() {
		return this.over.getAsBoolean();
	}

	/**
	 * Returns what it sees of the database at least.
	 */
	Snapshot snapshot() {
		return this.foreign ? Snapshot.UNDATED : Snapshot.since(this.began);
	}

	/**
	 * Returns the time at which it began, or now if its manager does not report it, as of
	 * the system's nano time.
	 */
	long began() {
		return this.foreign ? System.nanoTime() : this.began;
	}

	// Observed from its begin on

	@Override
	public void joined(BooleanSupplier completed) {
		this.over = completed;
		TransactionExecution begun = this.execution.get();
		this.transactions.begun(this, (begun != null) ? begun.getTransactionName() : null);
	}

	@Override
	public CompletionStage<?> beforeCommit() {
		this.transactions.committing(this);
		return this.transactions.announce(this, () -> {
			if (this.execution.get() instanceof TransactionStatus status) {
				status.flush();
			}
		});
	}

	@Override
	public CompletionStage<?> completed(int status) {
		this.transactions.completed(this, status);
		return CompletableFuture.completedStage(null);
	}

	// By a synchronization: savepoints, unknown outcomes, and all of a foreign one

	@Override
	public void suspend() {
		if (this.foreign) {
			this.transactions.work().transactions.remove(this);
		}
	}

	@Override
	public void resume() {
		if (this.foreign) {
			this.transactions.work().transactions.push(this);
		}
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.writes);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		List<CacheWrite> kept = new ArrayList<>(this.savepoints.getOrDefault(savepoint, List.of()));
		for (CacheWrite write : this.writes) {
			if (!write.isTraceless() && !kept.contains(write)) {
				write.value(null);
				kept.add(write);
			}
		}
		this.writes = kept;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.foreign) {
			Waiting.await(this.transactions.announce(this, TransactionSynchronizationUtils::triggerFlush));
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (this.foreign || status == STATUS_UNKNOWN) {
			completed(status);
		}
	}

}
