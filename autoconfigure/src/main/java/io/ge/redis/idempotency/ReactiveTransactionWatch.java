/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.core.transaction.SeenTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Sees which reactive transactions are begun by calls while they are subscribed to: the
 * beginning is told on the thread that subscribes, the rest on any thread.
 */
final class ReactiveTransactionWatch implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable ReactiveTransactions> current = new ThreadLocal<>();

	private final SeenTransactions<ReactiveTransactions> seen = new SeenTransactions<>();

	private final AtomicLong unseen = new AtomicLong();

	/**
	 * Returns the call that is bound to this thread.
	 */
	@Nullable ReactiveTransactions current() {
		return this.current.get();
	}

	/**
	 * Binds a call to this thread, or none.
	 * @return what was bound before
	 */
	@Nullable ReactiveTransactions bind(@Nullable ReactiveTransactions call) {
		ReactiveTransactions before = this.current.get();
		if (call != null) {
			this.current.set(call);
		}
		else {
			this.current.remove();
		}
		return before;
	}

	/**
	 * Returns how many have begun that can commit something, and of which nobody knows to
	 * which call they belong.
	 */
	long unseen() {
		return this.unseen.get();
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		ReactiveTransactions call = this.current.get();
		if (call != null) {
			this.seen.put(transaction, call);
		}
		else if (!transaction.isReadOnly()) {
			this.unseen.incrementAndGet();
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		ReactiveTransactions call = this.seen.get(transaction);
		if (call == null) {
			return;
		}
		if (beginFailure != null) {
			this.seen.remove(transaction);
			return;
		}
		call.replaced();
		call.begun(!transaction.isReadOnly());
	}

	// One whose commit has failed may have arrived
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		ended(transaction, false);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		ended(transaction, rollbackFailure == null);
	}

	private void ended(TransactionExecution transaction, boolean undone) {
		ReactiveTransactions call = this.seen.remove(transaction);
		if (call != null && !transaction.isReadOnly()) {
			call.ended(undone);
		}
	}

}
