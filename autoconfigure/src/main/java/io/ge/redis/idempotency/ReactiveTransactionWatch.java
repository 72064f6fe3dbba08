/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Sees which reactive transactions are begun by calls while they are subscribed to: the
 * beginning is told on the thread that subscribes, the rest on any thread.
 */
final class ReactiveTransactionWatch implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable ReactiveTransactions> current = new ThreadLocal<>();

	// Weak, since of one that is cancelled while it begins nothing more is told
	private final Map<Identity, ReactiveTransactions> seen = new ConcurrentHashMap<>();

	private final ReferenceQueue<TransactionExecution> forgotten = new ReferenceQueue<>();

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
	 * Returns how many have begun of which nobody knows to which call they belong.
	 */
	long unseen() {
		return this.unseen.get();
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		for (Object gone = this.forgotten.poll(); gone != null; gone = this.forgotten.poll()) {
			this.seen.remove(gone);
		}
		ReactiveTransactions call = this.current.get();
		if (call != null) {
			this.seen.put(new Identity(transaction, this.forgotten), call);
		}
		else {
			this.unseen.incrementAndGet();
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		ReactiveTransactions call = this.seen.get(new Identity(transaction, null));
		if (call == null) {
			return;
		}
		if (beginFailure != null) {
			this.seen.remove(new Identity(transaction, null));
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
		ReactiveTransactions call = this.seen.remove(new Identity(transaction, null));
		if (call != null && !transaction.isReadOnly()) {
			call.ended(undone);
		}
	}

	/**
	 * One transaction, for as long as somebody has it.
	 */
	private static final class Identity extends WeakReference<TransactionExecution> {

		private final int hash;

		Identity(TransactionExecution transaction, @Nullable ReferenceQueue<TransactionExecution> forgotten) {
			super(transaction, forgotten);
			this.hash = System.identityHashCode(transaction);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other || (other instanceof Identity identity && get() != null && get() == identity.get());
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
