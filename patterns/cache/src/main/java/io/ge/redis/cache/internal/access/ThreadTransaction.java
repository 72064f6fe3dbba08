// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.internal.engine.Snapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;

/**
 * A transaction of the current thread. Knows savepoints: what came after one that is
 * rolled back to is not published.
 */
final class ThreadTransaction extends OpenTransaction {

	private final @Nullable TransactionExecution execution;

	private final long began;

	private final Map<Object, List<CacheWrite>> savepoints = new IdentityHashMap<>(0);

	/** Whether its end is announced to {@link CacheTransactions} by a synchronization. */
	boolean synchronizing;

	/** Whether it has committed, and callbacks of the application run. */
	boolean committed;

	/**
	 * Creates a transaction.
	 * @param execution the transaction, or {@code null} if its manager does not report it
	 * @param began when it began, as of the system's nano time
	 */
	ThreadTransaction(@Nullable TransactionExecution execution, long began) {
		this.execution = execution;
		this.began = began;
	}

	boolean is(TransactionExecution other) {
		return this.execution == other;
	}

	boolean isForeign() {
		return this.execution == null;
	}

	boolean isReadOnly() {
		return this.execution != null && this.execution.isReadOnly();
	}

	@Override
	boolean isOver() {
		return (this.execution != null) ? this.execution.isCompleted() : super.isOver();
	}

	/**
	 * Returns what it sees of the database at least.
	 */
	Snapshot snapshot() {
		return isForeign() ? Snapshot.UNDATED : Snapshot.since(this.began);
	}

	/**
	 * Returns the time at which it began, or now if its manager does not report it, as of
	 * the system's nano time.
	 */
	long began() {
		return isForeign() ? System.nanoTime() : this.began;
	}

	void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.writes);
	}

	void rollbackTo(Object savepoint) {
		List<CacheWrite> kept = new ArrayList<>(this.savepoints.getOrDefault(savepoint, List.of()));
		for (CacheWrite write : this.writes) {
			if (!write.isTraceless() && !kept.contains(write)) {
				write.value(null);
				kept.add(write);
			}
		}
		this.writes = kept;
	}

}
