/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The reactive transactions of one call, as far as they are seen; those of calls within
 * it included.
 * <p>
 * One that encloses the whole method is found where its publisher is subscribed to, and
 * whatever is done in it is rolled back with it, unless it was set aside meanwhile. One
 * that the method begins is seen if that is done while it is subscribed to; what comes
 * after it may be more transactions, so it proves nothing if anyone has begun an unseen
 * one since.
 */
final class ReactiveTransactions {

	private final ReactiveTransactionWatch watch;

	private final @Nullable ReactiveTransactions outer;

	private final long unseenAtStart;

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger rolledBack = new AtomicInteger();

	private final AtomicInteger open = new AtomicInteger();

	private final AtomicInteger replacements = new AtomicInteger();

	private volatile boolean committed;

	private volatile boolean outside;

	private volatile boolean enclosed;

	private volatile long unseenBefore;

	private volatile @Nullable CompletableFuture<@Nullable Void> awaited;

	ReactiveTransactions(ReactiveTransactionWatch watch, @Nullable ReactiveTransactions outer) {
		this.watch = watch;
		this.outer = outer;
		this.unseenAtStart = watch.unseen();
	}

	/**
	 * The method is about to do its work.
	 * @param withinOwn whether in a transaction of its own that commits something
	 * @param withinCallers whether in that of its caller
	 */
	void entered(boolean withinOwn, boolean withinCallers) {
		if (withinOwn) {
			this.enclosed = true;
			begun(true);
		}
		else if (!withinCallers) {
			this.outside = true;
		}
	}

	/**
	 * A transaction has begun.
	 * @param writing whether it can commit anything
	 */
	void begun(boolean writing) {
		for (ReactiveTransactions call = this; call != null; call = call.outer) {
			if (writing) {
				call.begun.incrementAndGet();
				call.open.incrementAndGet();
			}
		}
	}

	/**
	 * A transaction was begun in the place of that of the caller, if there is one.
	 */
	void replaced() {
		for (ReactiveTransactions call = this; call != null; call = call.outer) {
			call.replacements.incrementAndGet();
		}
	}

	/**
	 * A transaction that can commit something has ended.
	 * @param undone whether all of it was certainly rolled back
	 */
	void ended(boolean undone) {
		for (ReactiveTransactions call = this; call != null; call = call.outer) {
			if (undone) {
				call.rolledBack.incrementAndGet();
			}
			else {
				call.committed = true;
			}
			call.unseenBefore = this.watch.unseen();
			if (call.open.decrementAndGet() == 0) {
				call.closed();
			}
		}
	}

	private void closed() {
		CompletableFuture<@Nullable Void> waiting = this.awaited;
		if (waiting != null) {
			waiting.complete(null);
		}
	}

	boolean isOpen() {
		return this.open.get() > 0;
	}

	/**
	 * Returns what completes when no transaction is open that was seen to begin.
	 */
	CompletableFuture<@Nullable Void> awaitEnd() {
		CompletableFuture<@Nullable Void> waiting = new CompletableFuture<>();
		this.awaited = waiting;
		if (!isOpen()) {
			waiting.complete(null);
		}
		return waiting;
	}

	boolean hasCommitted() {
		return this.committed || this.begun.get() > this.rolledBack.get();
	}

	/**
	 * Returns whether the work of the call was in transactions that were seen.
	 */
	boolean hasBegun() {
		return isEnclosed() || (this.begun.get() > 0 && this.unseenBefore == this.watch.unseen());
	}

	/**
	 * Returns whether one that was not seen may have been its own.
	 */
	boolean mayHaveMissed() {
		return !isEnclosed() && this.unseenAtStart != this.watch.unseen();
	}

	private boolean isEnclosed() {
		return this.enclosed && !this.outside;
	}

	boolean hasLeftCaller(int suspensions) {
		return suspensions > this.replacements.get();
	}

}
