// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.core.transaction.SeenTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Observes which transactions begin and end while calls run.
 * <p>
 * A transaction counts for all calls in progress on its thread, inner and outer ones; a
 * reactive one for the calls on whose thread it is begun. Read-only transactions commit
 * nothing, and savepoints are parts of their transaction; neither counts. One whose
 * commit has failed, or that never completes, counts as committed: it may be.
 */
final class TransactionWatch implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable CallTransactions> current = new ThreadLocal<>();

	private final SeenTransactions<CallTransactions> reactive = new SeenTransactions<>();

	private final AtomicLong unseenOnThreads = new AtomicLong();

	private final AtomicLong unseenReactive = new AtomicLong();

	private final TransactionExecutionListener reactiveListener = new Reactive();

	public @Nullable CallTransactions current() {
		return this.current.get();
	}

	@Nullable CallTransactions bind(@Nullable CallTransactions call) {
		CallTransactions before = this.current.get();
		if (call != null) {
			this.current.set(call);
		}
		else {
			this.current.remove();
		}
		return before;
	}

	long unseenOnThreads() {
		return this.unseenOnThreads.get();
	}

	/**
	 * Returns how many reactive ones belong to no known call.
	 */
	long unseenReactive() {
		return this.unseenReactive.get();
	}

	public TransactionExecutionListener reactiveListener() {
		return this.reactiveListener;
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null || !transaction.isNewTransaction()) {
			return;
		}
		CallTransactions call = current();
		if (call != null) {
			call.begunOnThread(transaction);
		}
		else if (!transaction.isReadOnly()) {
			this.unseenOnThreads.incrementAndGet();
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		ended(transaction, false);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		ended(transaction, rollbackFailure == null);
	}

	private void ended(TransactionExecution transaction, boolean undone) {
		CallTransactions call = current();
		if (call != null && transaction.isNewTransaction() && !transaction.isReadOnly()) {
			call.endedOnThread(undone);
		}
	}

	private final class Reactive implements TransactionExecutionListener {

		@Override
		public void beforeBegin(TransactionExecution transaction) {
			CallTransactions call = current();
			if (call != null) {
				TransactionWatch.this.reactive.put(transaction, call);
			}
			else if (!transaction.isReadOnly()) {
				TransactionWatch.this.unseenReactive.incrementAndGet();
			}
		}

		@Override
		public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
			if (beginFailure != null) {
				TransactionWatch.this.reactive.remove(transaction);
				return;
			}
			CallTransactions call = TransactionWatch.this.reactive.get(transaction);
			if (call != null) {
				call.begun(true, !transaction.isReadOnly());
			}
		}

		@Override
		public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
			ended(transaction, false);
		}

		@Override
		public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
			ended(transaction, rollbackFailure == null);
		}

		private void ended(TransactionExecution transaction, boolean undone) {
			CallTransactions call = TransactionWatch.this.reactive.remove(transaction);
			if (call != null && !transaction.isReadOnly()) {
				call.ended(undone);
			}
		}

	}

}
