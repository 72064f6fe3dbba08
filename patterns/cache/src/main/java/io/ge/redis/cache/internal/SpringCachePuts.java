// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Brings what is put into Spring's caches to Redis: by the lease of what was missed
 * before, or as a change of the database.
 */
record SpringCachePuts(CacheWriter writer, CacheTransactions transactions, OpenMisses misses) {

	/**
	 * Puts a value.
	 * @param loaded whether the value was certainly loaded after that miss, judged by the
	 * key; else it may be a change
	 */
	void put(CacheKey entry, @Nullable Object value, @Nullable OpenMiss miss, boolean loaded) {
		boolean inTransaction = this.transactions.isInTransaction();
		boolean reading = !inTransaction || TransactionSynchronizationManager.isCurrentTransactionReadOnly();
		if (miss == null) {
			change(entry, value, inTransaction && reading);
		}
		else if (!reading && miss.isLeased()) {
			fillAfterCommit(miss, value);
		}
		else {
			this.misses.remove(miss);
			boolean certain = !miss.isOfCurrentThread() || !this.transactions.hasWrittenSince(miss.found());
			CacheFill end = (reading && miss.isGranted()) ? fill(miss, value, certain) : CacheFill.LOST;
			// The value may be older or newer than the stored one. Without a lease it was
			// certainly not to be stored
			if (end == CacheFill.LOST && (miss.isGranted() || !loaded)) {
				this.writer.remove(entry, CacheTags.ALL);
			}
		}
	}

	/**
	 * Puts a value unless another caller is first, by the lease of a miss. That cannot
	 * wait for a commit: after a rollback the entry is removed.
	 */
	CacheFill putIfAbsent(OpenMiss miss, @Nullable Object value) {
		this.misses.remove(miss);
		CacheFill end = miss.isGranted() ? fill(miss, value, true) : CacheFill.LOST;
		if (end == CacheFill.FILLED && this.transactions.isInTransaction()) {
			atEnd((committed) -> {
				if (!committed) {
					this.writer.removeNow(miss.key(), CacheTags.ALL);
				}
			});
		}
		return end;
	}

	/**
	 * Puts a value like {@link #put}, on a thread that must not wait, and so is in no
	 * transaction.
	 */
	void putAsync(CacheKey entry, @Nullable Object value, @Nullable OpenMiss miss, boolean loaded) {
		if (miss == null) {
			this.writer.requireWrittenThrough(entry);
			this.writer.write(entry, ResultForm.FUTURE, () -> CompletableFuture.completedFuture(value));
			return;
		}
		this.misses.remove(miss);
		miss.loaded();
		miss.fill(value, true).thenAccept((end) -> {
			if (end == CacheFill.LOST && (miss.isGranted() || !loaded)) {
				this.writer.removeAsync(entry, CacheTags.ALL);
			}
		});
	}

	// What a transaction has only read is no change. Inside of a writer of ours it is
	// the writer's, whose value comes when it returns
	private void change(CacheKey entry, @Nullable Object value, boolean read) {
		this.writer.requireWrittenThrough(entry);
		if (read) {
			this.writer.remove(entry, CacheTags.ALL);
		}
		else if (!this.transactions.isInsideWriter(entry)) {
			this.writer.putNow(entry, value);
		}
	}

	private CacheFill fill(OpenMiss miss, @Nullable Object value, boolean certain) {
		if (this.transactions.isWriting(miss.key()) || miss.isBehind(this.transactions.snapshot())) {
			miss.release();
			return CacheFill.LOST;
		}
		miss.loaded();
		return Waiting.await(miss.fill(value, certain));
	}

	/**
	 * Stores the value after the commit, since it may be a change that is rolled back.
	 * The lease holds until the next write, so the value can be stored later.
	 */
	private void fillAfterCommit(OpenMiss miss, @Nullable Object value) {
		boolean behind = miss.isBehind(this.transactions.snapshot());
		miss.loaded();
		if (miss.await(behind ? null : miss.bytes(value))) {
			atEnd((committed) -> {
				this.misses.remove(miss);
				if (!committed) {
					miss.release();
				}
				else if (Waiting.await(miss.store(miss.awaited(), false)) == CacheFill.LOST) {
					this.writer.removeNow(miss.key(), CacheTags.ALL);
				}
			});
		}
	}

	/**
	 * Has an action run when the current transaction has ended.
	 * @param action given whether all of it has committed since now; false after a
	 * rollback to any savepoint, which may undo what has replaced a kept value
	 */
	private static void atEnd(Consumer<Boolean> action) {
		ThreadTransactions.join(new End(action));
	}

	private static final class End implements TransactionParticipant {

		private final Consumer<Boolean> action;

		private boolean rolledBack;

		End(Consumer<Boolean> action) {
			this.action = action;
		}

		@Override
		public void rolledBackTo(Object savepoint) {
			this.rolledBack = true;
		}

		@Override
		public CompletionStage<?> completed(int status) {
			this.action.accept(status == TransactionSynchronization.STATUS_COMMITTED && !this.rolledBack);
			return CompletableFuture.completedStage(null);
		}

	}

}
