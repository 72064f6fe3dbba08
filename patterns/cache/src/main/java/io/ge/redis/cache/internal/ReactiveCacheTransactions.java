// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.transaction.ObservedTransactions;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Reactive transactions, which propagate with the context of subscribers. Spring reports
 * their begin without the subscriber. So one counts as having begun with the oldest open
 * one of its name, which leads to fewer stored values, never to an outdated one.
 */
final class ReactiveCacheTransactions extends ObservedTransactions<ReactiveCacheTransactions.Begun> {

	private final WriteSteps steps;

	private final GuardedCalls calls;

	private final CacheTransactions ofThreads;

	private final AtomicLong partialRollbacks = new AtomicLong();

	ReactiveCacheTransactions(WriteSteps steps, GuardedCalls calls, CacheTransactions ofThreads) {
		this.steps = steps;
		this.calls = calls;
		this.ofThreads = ofThreads;
	}

	Snapshot snapshot(TransactionSynchronizationManager transaction) {
		String named = transaction.getCurrentTransactionName();
		String name = (named != null) ? named : "";
		long now = System.nanoTime();
		return open().stream()
			.filter((each) -> each.name.equals(name))
			.map((each) -> now - each.began)
			.max(Long::compare)
			.map((age) -> Snapshot.since(now - age))
			.orElse(Snapshot.UNDATED);
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
	protected Begun beginning(TransactionExecution execution) {
		return new Begun(execution.getTransactionName(), System.nanoTime(), this.ofThreads);
	}

	// The begin of a nested one is not reported
	@Override
	protected void failed(TransactionExecution execution) {
		if (execution.isNested()) {
			this.partialRollbacks.incrementAndGet();
		}
		this.ofThreads.rolledBack(System.nanoTime());
	}

	/**
	 * A transaction that was seen to begin.
	 */
	record Begun(String name, long began, CacheTransactions ofThreads) implements TransactionParticipant {

		@Override
		public CompletionStage<?> completed(int status) {
			if (status != TransactionSynchronization.STATUS_COMMITTED) {
				this.ofThreads.rolledBack(this.began);
			}
			return CompletableFuture.completedStage(null);
		}

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
			return ReactiveCacheTransactions.this.steps.announceCommit(this.writes);
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
