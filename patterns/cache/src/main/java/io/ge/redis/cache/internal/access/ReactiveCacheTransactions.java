// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.transaction.SeenTransactions;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Reactive transactions, which propagate with the context of subscribers. Spring reports
 * their begin without the subscriber. So one counts as having begun with the oldest open
 * one of its name, which leads to fewer stored values, never to an outdated one.
 */
public final class ReactiveCacheTransactions implements TransactionExecutionListener {

	private final WriteSteps steps;

	private final GuardedCalls calls;

	private final CacheTransactions ofThreads;

	/** When each began, as of the system's nano time. */
	private final SeenTransactions<Long> open = new SeenTransactions<>();

	private final AtomicLong partialRollbacks = new AtomicLong();

	public ReactiveCacheTransactions(WriteSteps steps, GuardedCalls calls, CacheTransactions ofThreads) {
		this.steps = steps;
		this.calls = calls;
		this.ofThreads = ofThreads;
	}

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

	OpenTransaction changes(TransactionSynchronizationManager transaction) {
		return SubscriberTransactions.participant(transaction, Changes.class, Changes::new);
	}

	/**
	 * Returns what is changed in the transaction of a subscriber, or {@code null} if
	 * nothing is.
	 */
	static @Nullable OpenTransaction known(TransactionSynchronizationManager transaction) {
		return SubscriberTransactions.participant(transaction, Changes.class);
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
		this.ofThreads.rolledBack((began != null) ? began : System.nanoTime());
	}

	/**
	 * The changes in the transaction of a subscriber. If it is not certain to have
	 * committed, or a part of any transaction was rolled back meanwhile, all entries are
	 * removed.
	 */
	private final class Changes extends OpenTransaction implements TransactionParticipant {

		private final long partialRollbacksBefore = ReactiveCacheTransactions.this.partialRollbacks.get();

		@Override
		boolean begin(CacheWrite write) {
			return unlessCommitting(() -> {
				super.begin(write);
				// Until its value is there the entry is to be removed
				write.running = true;
				return add(write);
			});
		}

		@Override
		boolean returned(CacheWrite write, @Nullable NewValue value) {
			return unlessCommitting(() -> {
				write.running = false;
				write.value((write.commits == 0) ? value : null);
				return true;
			});
		}

		@Override
		public CompletionStage<?> beforeCommit() {
			committing();
			return ReactiveCacheTransactions.this.steps.announce(this.writes, true)
				.thenRun(() -> WriteSteps.requireAnnounced(this.writes));
		}

		@Override
		public CompletionStage<?> completed(int status) {
			end();
			if (status != TransactionSynchronization.STATUS_COMMITTED
					|| ReactiveCacheTransactions.this.partialRollbacks.get() != this.partialRollbacksBefore) {
				this.writes.forEach(CacheWrite::dropValue);
			}
			return ReactiveCacheTransactions.this.steps.publishEventsAsync(
					ReactiveCacheTransactions.this.steps.resolve(this.writes), ReactiveCacheTransactions.this.calls);
		}

	}

}
