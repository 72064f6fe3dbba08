// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;

/**
 * The observed transactions that were begun in one call and in calls within it.
 * <p>
 * Transactions of the thread on which the call begins decide only if the call has ended
 * within them, before it has returned a promise. A reactive transaction around the whole
 * method is found on subscription to its publisher. Its rollback undoes everything done
 * in it, unless it was suspended meanwhile. A reactive transaction that the method begins
 * is observed if it begins on subscription. Further ones may follow, so it proves nothing
 * if an unseen one has begun since.
 */
final class CallTransactions {

	private final TransactionWatch watch;

	private final ResultForm.Kind kind;

	private final @Nullable CallTransactions around;

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger rolledBack = new AtomicInteger();

	private final AtomicInteger replacements = new AtomicInteger();

	private volatile boolean committed;

	// Transactions of the thread: changed by it alone

	private @Nullable CallTransactions outer;

	private @Nullable CallRecord record;

	private volatile @Nullable Thread beginning;

	private volatile boolean returned;

	private volatile boolean begunOnThread;

	private int openOnThread;

	private long unseenOnThreads;

	// Reactive ones

	private final AtomicInteger open = new AtomicInteger();

	private volatile boolean begunReactive;

	private volatile boolean outside;

	private volatile boolean enclosed;

	private volatile boolean withinCallers;

	private volatile long unseenAtStart;

	private volatile long unseenBefore;

	private volatile @Nullable CompletableFuture<@Nullable Void> awaited;

	// Known when the method has ended

	private volatile boolean within;

	private volatile boolean missed;

	public CallTransactions(TransactionWatch watch, ResultForm.Kind kind, @Nullable CallTransactions around) {
		this.watch = watch;
		this.kind = kind;
		this.around = around;
	}

	public void enter(@Nullable CallRecord record) {
		this.record = record;
		this.unseenOnThreads = this.watch.unseenOnThreads();
		this.unseenAtStart = this.watch.unseenReactive();
		this.beginning = Thread.currentThread();
		this.outer = this.watch.bind(this);
	}

	public void exit() {
		this.beginning = null;
		this.watch.bind(this.outer);
	}

	public void returned() {
		this.returned = true;
	}

	void begunOnThread(TransactionExecution transaction) {
		for (CallTransactions call = this; call != null; call = call.outer) {
			if (!call.isSubscribed()) {
				call.replacements.incrementAndGet();
			}
			if (!transaction.isReadOnly()) {
				call.begun.incrementAndGet();
				call.begunOnThread = true;
				call.openOnThread++;
				if (call.record != null) {
					call.record.transactionBegun(transaction, call.openOnThread == 1);
				}
			}
		}
	}

	void endedOnThread(boolean undone) {
		for (CallTransactions call = this; call != null; call = call.outer) {
			call.openOnThread--;
			call.countEnded(undone);
		}
	}

	/**
	 * The method of a publisher is about to do its work.
	 */
	public void entered(boolean withinOwn, boolean withinCallers) {
		if (withinOwn) {
			this.enclosed = true;
			begun(false, true);
		}
		else if (!withinCallers) {
			this.outside = true;
		}
		else {
			this.withinCallers = true;
		}
	}

	/**
	 * Returns whether the method of a publisher has done none of its work in the caller's
	 * transaction.
	 */
	public boolean isApart() {
		return (this.enclosed || this.outside) && !this.withinCallers;
	}

	public boolean isPlain() {
		return this.kind == ResultForm.Kind.PLAIN;
	}

	/**
	 * A reactive transaction has begun.
	 * @param seen whether its begin was seen, so that it has taken the place of the
	 * caller's, if there is one
	 */
	void begun(boolean seen, boolean writing) {
		for (CallTransactions call = this; call != null; call = call.around) {
			if (seen && call.isSubscribed()) {
				call.replacements.incrementAndGet();
			}
			if (writing) {
				call.begun.incrementAndGet();
				call.begunReactive = true;
				call.open.incrementAndGet();
			}
		}
	}

	public void ended(boolean undone) {
		for (CallTransactions call = this; call != null; call = call.around) {
			call.countEnded(undone);
			call.unseenBefore = this.watch.unseenReactive();
			if (call.open.decrementAndGet() == 0) {
				call.closed();
			}
		}
	}

	private void countEnded(boolean undone) {
		if (undone) {
			this.rolledBack.incrementAndGet();
		}
		else {
			this.committed = true;
		}
	}

	private boolean isSubscribed() {
		return this.kind == ResultForm.Kind.SINGLE || this.kind == ResultForm.Kind.MULTIPLE;
	}

	private void closed() {
		CompletableFuture<@Nullable Void> waiting = this.awaited;
		if (waiting != null) {
			waiting.complete(null);
		}
	}

	/**
	 * Completes when no reactive transaction is open that was seen to begin.
	 */
	public CompletableFuture<@Nullable Void> awaitEnd() {
		CompletableFuture<@Nullable Void> waiting = new CompletableFuture<>();
		this.awaited = waiting;
		if (!isOpen()) {
			waiting.complete(null);
		}
		return waiting;
	}

	public boolean isOpen() {
		return this.open.get() > 0;
	}

	public void methodEnded() {
		Thread begins = this.beginning;
		boolean here = !this.returned && (begins == null || begins == Thread.currentThread());
		boolean unseen = !here && this.unseenOnThreads != this.watch.unseenOnThreads();
		boolean reactive = this.kind != ResultForm.Kind.PLAIN && !isEnclosed()
				&& this.unseenAtStart != this.watch.unseenReactive();
		this.within = here;
		this.missed = unseen || reactive;
	}

	public boolean hasCommitted() {
		return this.committed || this.begun.get() > this.rolledBack.get();
	}

	/**
	 * Returns whether there was one, so that everything uncommitted was undone.
	 */
	public boolean hasBegun() {
		// A method that blocks may have waited for one that was not seen before this one
		return (this.within && this.begunOnThread) || isEnclosed()
				|| (this.begunReactive && this.unseenBefore == this.watch.unseenReactive()
						&& (isSubscribed() || this.unseenBefore == this.unseenAtStart));
	}

	public boolean mayHaveMissed() {
		return this.missed;
	}

	/**
	 * Returns whether the call has also run outside of its caller's transaction.
	 */
	public boolean hasLeftCaller(int suspensions) {
		// Read-only ones take the place of the caller's as well
		return (!isSubscribed() && !this.within) || suspensions > this.replacements.get();
	}

	private boolean isEnclosed() {
		return this.enclosed && !this.outside;
	}

}
