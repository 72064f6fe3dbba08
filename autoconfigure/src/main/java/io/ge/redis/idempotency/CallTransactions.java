/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The transactions of a call whose result comes later: those of the thread on which it
 * begins, and those of its subscriber's context. The former say what has become of the
 * call only if it has ended within them, before it has returned a promise.
 */
final class CallTransactions implements AutoCloseable {

	private final TransactionWatch threads;

	private final long unseenBefore;

	private final TransactionWatch.Frame frame;

	private final ReactiveTransactionWatch watch;

	private final ReactiveTransactions reactive;

	private final @Nullable ReactiveTransactions before;

	private volatile @Nullable Thread beginning = Thread.currentThread();

	private volatile boolean returned;

	/**
	 * Begins to watch on this thread, until it is closed.
	 * @param threads sees transactions that are bound to threads
	 * @param watch sees reactive ones
	 * @param reactive those of the call
	 */
	CallTransactions(TransactionWatch threads, ReactiveTransactionWatch watch, ReactiveTransactions reactive) {
		this.threads = threads;
		this.unseenBefore = threads.unseen();
		this.frame = threads.open(null);
		this.watch = watch;
		this.reactive = reactive;
		this.before = watch.bind(reactive);
	}

	/**
	 * The method has returned, and may go on elsewhere.
	 */
	void returned() {
		this.returned = true;
	}

	/**
	 * Returns what is known when the call ends.
	 * @param subscribed whether its caller is a subscriber
	 */
	BegunTransactions atEnd(boolean subscribed) {
		boolean within = !this.returned && (this.beginning == null || this.beginning == Thread.currentThread());
		boolean missed = !within && this.unseenBefore != this.threads.unseen();
		return new AtEnd(this.frame, within, missed || this.reactive.mayHaveMissed(), this.reactive, subscribed);
	}

	@Override
	public void close() {
		this.beginning = null;
		this.watch.bind(this.before);
		this.frame.close();
	}

	/**
	 * The transactions that are known when the call ends.
	 *
	 * @param frame the transactions of the thread on which it began
	 * @param isWithin whether it has ended within them
	 * @param mayHaveMissed whether another one may have been its own
	 * @param reactive the reactive ones
	 * @param isSubscribed whether its caller is a subscriber
	 */
	private record AtEnd(TransactionWatch.Frame frame, boolean isWithin, boolean mayHaveMissed,
			ReactiveTransactions reactive, boolean isSubscribed) implements BegunTransactions {

		@Override
		public boolean hasCommitted() {
			return this.frame.hasCommitted() || this.reactive.hasCommitted();
		}

		@Override
		public boolean hasBegun() {
			return (this.isWithin && this.frame.hasBegun()) || this.reactive.hasBegun();
		}

		@Override
		public boolean hasLeftCaller(int suspensions) {
			return this.isSubscribed ? this.reactive.hasLeftCaller(suspensions)
					: !this.isWithin || this.frame.hasLeftCaller(suspensions);
		}

	}

}
