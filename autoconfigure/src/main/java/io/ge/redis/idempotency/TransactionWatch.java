/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Sees which transactions begin and end while a call runs.
 * <p>
 * Spring's transactions are bound to their thread, and so is this: each call in progress
 * has a frame on its thread, inner calls on top of outer ones, and a transaction counts
 * for all of them. Read-only transactions commit nothing, and savepoints are parts of
 * their transaction; neither counts. A transaction that has begun and of which nobody
 * hears again counts as committed, and so does one whose commit has failed: it may have
 * arrived.
 */
final class TransactionWatch implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable Frame> current = new ThreadLocal<>();

	private final AtomicLong unseen = new AtomicLong();

	/**
	 * Begins to watch on this thread.
	 * @param testimony told of the transactions in which a row could be written
	 */
	Frame open(@Nullable Testimony testimony) {
		Frame frame = new Frame(this.current.get(), testimony);
		this.current.set(frame);
		return frame;
	}

	/**
	 * Returns how many have begun on threads without a call.
	 */
	long unseen() {
		return this.unseen.get();
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null || !transaction.isNewTransaction()) {
			return;
		}
		if (this.current.get() == null && counts(transaction)) {
			this.unseen.incrementAndGet();
		}
		for (Frame frame = this.current.get(); frame != null; frame = frame.outer) {
			frame.count = frame.count + 1;
			if (counts(transaction)) {
				frame.begun = frame.begun + 1;
				frame.active = frame.active + 1;
				if (frame.testimony != null) {
					frame.testimony.transactionBegun(transaction, frame.active == 1);
				}
			}
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		if (counts(transaction)) {
			for (Frame frame = this.current.get(); frame != null; frame = frame.outer) {
				frame.active = frame.active - 1;
				frame.committed = true;
			}
		}
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		if (counts(transaction)) {
			for (Frame frame = this.current.get(); frame != null; frame = frame.outer) {
				frame.active = frame.active - 1;
				if (rollbackFailure == null) {
					frame.rolledBack = frame.rolledBack + 1;
				}
			}
		}
	}

	private static boolean counts(TransactionExecution transaction) {
		return transaction.isNewTransaction() && !transaction.isReadOnly();
	}

	/**
	 * The transactions of one call.
	 */
	final class Frame implements BegunTransactions, AutoCloseable {

		private final @Nullable Frame outer;

		private final @Nullable Testimony testimony;

		// Changed by one thread only, and read by others

		private volatile int count;

		private volatile int active;

		private volatile int begun;

		private volatile int rolledBack;

		private volatile boolean committed;

		private Frame(@Nullable Frame outer, @Nullable Testimony testimony) {
			this.outer = outer;
			this.testimony = testimony;
		}

		@Override
		public boolean hasCommitted() {
			return this.committed || this.begun > this.rolledBack;
		}

		@Override
		public boolean hasBegun() {
			return this.begun > 0;
		}

		// Those of other threads are none of a call that ends on its own
		@Override
		public boolean mayHaveMissed() {
			return false;
		}

		// Read-only ones take the place of the caller's as well
		@Override
		public boolean hasLeftCaller(int suspensions) {
			return suspensions > this.count;
		}

		@Override
		public void close() {
			if (this.outer == null) {
				TransactionWatch.this.current.remove();
			}
			else {
				TransactionWatch.this.current.set(this.outer);
			}
		}

	}

}
