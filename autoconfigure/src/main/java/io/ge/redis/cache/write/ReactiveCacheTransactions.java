/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.transaction.SeenTransactions;
import io.ge.redis.core.transaction.SubscriberTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Reactive transactions, which go along with subscribers. Writers that are called inside
 * of one take part in it as {@link ReactiveChanges}.
 * <p>
 * When such a transaction has begun Spring tells the listeners of its manager, but not
 * which subscriber it is for. So it counts as having begun with the oldest one that is
 * open and has its name: whoever takes it for older than it is stores less, never
 * something outdated.
 */
public final class ReactiveCacheTransactions implements TransactionExecutionListener {

	private final WriteSteps steps;

	private final GuardedCalls calls;

	/** When each began, as of the system's nano time. */
	private final SeenTransactions<Long> open = new SeenTransactions<>();

	private final AtomicLong partialRollbacks = new AtomicLong();

	private final Rollbacks rollbacks = new Rollbacks();

	public ReactiveCacheTransactions(WriteSteps steps, GuardedCalls calls) {
		this.steps = steps;
		this.calls = calls;
	}

	/**
	 * Returns as of when the transaction of a subscriber sees the database.
	 */
	Snapshot snapshot(TransactionSynchronizationManager transaction) {
		String name = emptied(transaction.getCurrentTransactionName());
		long now = System.nanoTime();
		AtomicLong age = new AtomicLong(-1);
		this.open.forEach((execution, began) -> {
			if (!execution.isCompleted() && name.equals(emptied(execution.getTransactionName()))) {
				age.accumulateAndGet(now - began, Math::max);
			}
		});
		return (age.get() >= 0) ? Snapshot.since(now - age.get()) : Snapshot.UNDATED;
	}

	private static String emptied(@Nullable String name) {
		return (name != null) ? name : "";
	}

	/**
	 * Returns what is changed in the transaction of a subscriber.
	 */
	ReactiveChanges changes(TransactionSynchronizationManager transaction) {
		return SubscriberTransactions.participant(transaction, ReactiveChanges.class,
				() -> new ReactiveChanges(this.steps, this.calls, this.partialRollbacks::get));
	}

	/**
	 * Returns those that were rolled back.
	 */
	Rollbacks rollbacks() {
		return this.rollbacks;
	}

	@Override
	public void beforeBegin(TransactionExecution execution) {
		if (!execution.isNested()) {
			this.open.put(execution, System.nanoTime());
		}
	}

	@Override
	public void afterBegin(TransactionExecution execution, @Nullable Throwable beginFailure) {
		if (beginFailure != null) {
			this.open.remove(execution);
		}
	}

	@Override
	public void afterCommit(TransactionExecution execution, @Nullable Throwable commitFailure) {
		Long began = this.open.remove(execution);
		if (commitFailure != null) {
			rolledBack(began);
		}
	}

	@Override
	public void afterRollback(TransactionExecution execution, @Nullable Throwable rollbackFailure) {
		if (execution.isNested()) {
			this.partialRollbacks.incrementAndGet();
		}
		rolledBack(this.open.remove(execution));
	}

	private void rolledBack(@Nullable Long began) {
		this.rollbacks.add((began != null) ? began : System.nanoTime());
	}

}
