/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.Snapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;

/**
 * A transaction of the current thread and what it is to publish. Knows savepoints: what
 * came after one that is rolled back to is not published.
 */
final class OpenTransaction {

	private final @Nullable TransactionExecution execution;

	private final long began;

	private final Map<Object, List<CacheWrite>> savepoints = new IdentityHashMap<>(0);

	private List<CacheWrite> writes = new ArrayList<>(0);

	/** Written by another thread if the coordinator has ended it there. */
	private volatile boolean ended;

	/** Whether its end is announced to {@link CacheTransactions} by a synchronization. */
	boolean synchronizing;

	/**
	 * Creates a transaction.
	 * @param execution the transaction, or {@code null} if its manager tells nothing
	 * @param began when it began, as of the system's nano time
	 */
	OpenTransaction(@Nullable TransactionExecution execution, long began) {
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

	/**
	 * Returns whether it has ended, whoever knows.
	 */
	boolean isOver() {
		return this.ended || (this.execution != null && this.execution.isCompleted());
	}

	/**
	 * Returns what it sees of the database at least.
	 */
	Snapshot snapshot() {
		return isForeign() ? Snapshot.UNDATED : Snapshot.since(this.began);
	}

	/**
	 * Returns when it began, or now if its manager tells nothing, as of the system's nano
	 * time.
	 */
	long began() {
		return isForeign() ? System.nanoTime() : this.began;
	}

	List<CacheWrite> writes() {
		return this.writes;
	}

	/**
	 * Returns whether an entry is changed in it. Nothing is any more once it has ended,
	 * although its thread may not have left it yet.
	 */
	boolean isWriting(CacheKey key) {
		if (this.ended) {
			return false;
		}
		for (CacheWrite write : this.writes) {
			if (write.key().covers(key)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Adds a write. It takes the place of an earlier one of the same entry, unless that
	 * has left something in Redis or in the database.
	 */
	void add(CacheWrite added) {
		List<CacheWrite> next = new ArrayList<>(this.writes.size() + 1);
		for (CacheWrite write : this.writes) {
			if (!write.isReplacedBy(added)) {
				next.add(write);
			}
			else if (!write.isTraceless()) {
				write.value(null);
				next.add(write);
			}
		}
		next.add(added);
		this.writes = next;
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

	void removeValues() {
		this.writes.forEach((write) -> write.value(null));
	}

	/**
	 * Ends it.
	 * @return whether it had not ended before
	 */
	boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		return first;
	}

}
