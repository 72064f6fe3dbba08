/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

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

	/**
	 * Begins to watch on this thread.
	 * @param testimony told of the transactions in which a row could be written
	 */
	Frame open(@Nullable Testimony testimony) {
		Frame frame = new Frame(this.current.get(), testimony);
		this.current.set(frame);
		return frame;
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null || !transaction.isNewTransaction()) {
			return;
		}
		for (Frame frame = this.current.get(); frame != null; frame = frame.outer) {
			frame.count++;
			if (counts(transaction)) {
				frame.begun++;
				frame.active++;
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
				frame.active--;
				frame.committed = true;
			}
		}
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		if (counts(transaction)) {
			for (Frame frame = this.current.get(); frame != null; frame = frame.outer) {
				frame.active--;
				if (rollbackFailure == null) {
					frame.rolledBack++;
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
	final class Frame implements AutoCloseable {

		private final @Nullable Frame outer;

		private final @Nullable Testimony testimony;

		private int count;

		private int active;

		private int begun;

		private int rolledBack;

		private boolean committed;

		private Frame(@Nullable Frame outer, @Nullable Testimony testimony) {
			this.outer = outer;
			this.testimony = testimony;
		}

		/**
		 * Returns whether a transaction was, or may have been, committed.
		 */
		boolean hasCommitted() {
			return this.committed || this.begun > this.rolledBack;
		}

		/**
		 * Returns whether there was a transaction at all.
		 */
		boolean hasBegun() {
			return this.begun > 0;
		}

		/**
		 * Returns the number of transactions, read-only ones included.
		 */
		int count() {
			return this.count;
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
