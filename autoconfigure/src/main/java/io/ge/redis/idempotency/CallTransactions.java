/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The transactions of a call whose result comes later: those of the thread on which it
 * begins. They say what has become of the call only if it has ended within them, before
 * it has returned a promise.
 */
final class CallTransactions implements AutoCloseable {

	private final TransactionWatch.Frame frame;

	private volatile @Nullable Thread beginning = Thread.currentThread();

	private volatile boolean returned;

	CallTransactions(TransactionWatch watch) {
		this.frame = watch.open(null);
	}

	/**
	 * The method has returned, and may go on elsewhere.
	 */
	void returned() {
		this.returned = true;
	}

	/**
	 * Returns what is known when the call ends.
	 */
	BegunTransactions soFar() {
		boolean within = !this.returned && (this.beginning == null || this.beginning == Thread.currentThread());
		return new SoFar(this.frame, within);
	}

	@Override
	public void close() {
		this.beginning = null;
		this.frame.close();
	}

	/**
	 * What is known when the call ends.
	 *
	 * @param frame the transactions of the thread on which it began
	 * @param isWithin whether it has ended within them
	 */
	private record SoFar(TransactionWatch.Frame frame, boolean isWithin) implements BegunTransactions {

		@Override
		public boolean hasCommitted() {
			return this.frame.hasCommitted();
		}

		@Override
		public boolean hasBegun() {
			return this.isWithin && this.frame.hasBegun();
		}

		@Override
		public boolean hasLeftCaller(int suspensions) {
			return !this.isWithin || this.frame.hasLeftCaller(suspensions);
		}

	}

}
