/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The changes in the reactive transaction of a subscriber: announced right before that
 * commits, while rows are locked, and resolved right after.
 * <p>
 * If the transaction is rolled back, all of it is removed: whether the rollback is
 * certain, and whether a writer has committed something in another transaction, nobody
 * says here. So are values when a part of any transaction was rolled back meanwhile,
 * since nobody says of which.
 */
final class ReactiveChanges implements TransactionParticipant {

	private final WriteSteps steps;

	private final GuardedCalls calls;

	private final LongSupplier partialRollbacks;

	private final long partialRollbacksBefore;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile List<CacheWrite> writes = List.of();

	/** Those whose methods have returned. */
	private List<CacheWrite> ready = List.of();

	private volatile boolean committing;

	private volatile boolean over;

	/**
	 * Creates changes.
	 * @param partialRollbacks how often anywhere a part of a transaction was rolled back
	 */
	ReactiveChanges(WriteSteps steps, GuardedCalls calls, LongSupplier partialRollbacks) {
		this.steps = steps;
		this.calls = calls;
		this.partialRollbacks = partialRollbacks;
		this.partialRollbacksBefore = partialRollbacks.getAsLong();
	}

	private boolean isOpen() {
		return !this.committing && !this.over;
	}

	boolean isWriting(CacheKey key) {
		if (this.over) {
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
	 * Adds a writer before its method runs. Until its value is there the entry is to be
	 * removed. It takes the place of an earlier one of the same entry, unless that still
	 * runs: of two at a time nobody knows which is the later one.
	 * @return whether it was not too late
	 */
	boolean add(CacheWrite added) {
		this.lock.lock();
		try {
			if (!isOpen()) {
				return false;
			}
			List<CacheWrite> next = new ArrayList<>(this.writes.size() + 1);
			for (CacheWrite write : this.writes) {
				if (!write.isReplacedBy(added)) {
					next.add(write);
				}
				else if (!this.ready.contains(write)) {
					write.dropValue();
					added.dropValue();
					next.add(write);
				}
			}
			next.add(added);
			this.writes = next;
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Has an entry removed at the end, although the commit has begun.
	 * @return whether it was not too late
	 */
	boolean addRemoval(CacheWrite removal) {
		this.lock.lock();
		try {
			if (this.over) {
				return false;
			}
			List<CacheWrite> next = new ArrayList<>(this.writes);
			next.add(removal);
			this.writes = next;
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Notes the value of a writer whose method has returned, or does not run.
	 * @return whether it was not too late
	 */
	boolean returned(CacheWrite write, @Nullable NewValue value) {
		this.lock.lock();
		try {
			if (!isOpen()) {
				return false;
			}
			write.value(value);
			List<CacheWrite> next = new ArrayList<>(this.ready);
			next.add(write);
			this.ready = next;
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public CompletionStage<?> beforeCommit() {
		this.lock.lock();
		try {
			this.committing = true;
		}
		finally {
			this.lock.unlock();
		}
		return this.steps.announceAsync(this.writes, true);
	}

	@Override
	public CompletionStage<?> completed(int status) {
		this.lock.lock();
		try {
			this.over = true;
		}
		finally {
			this.lock.unlock();
		}
		List<CacheWrite> all = this.writes;
		if (status != TransactionSynchronization.STATUS_COMMITTED
				|| this.partialRollbacks.getAsLong() != this.partialRollbacksBefore) {
			all.forEach(CacheWrite::dropValue);
		}
		return all.isEmpty() ? CompletableFuture.completedFuture(null) : this.steps.resolveAsync(all, this.calls);
	}

}
