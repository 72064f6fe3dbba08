// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronization;

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

	/** Transactions that may write, without those that were rolled back. */
	private final AtomicInteger lasting = new AtomicInteger();

	private final AtomicInteger replacements = new AtomicInteger();

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
		this.unseenOnThreads = this.watch.ofThreads.unseen.get();
		this.unseenAtStart = this.watch.ofSubscribers.unseen.get();
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

	/**
	 * Finds the transaction in which the method of a publisher is about to do its work.
	 * @param context the context of the publisher's subscriber
	 */
	static void entered(Object context) {
		CallTransactions call = SubscriberContext.find(context, CallTransactions.class);
		if (call == null) {
			return;
		}
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction != null
				&& SubscriberTransactions.participants(transaction).stream().anyMatch(call::isCallers)) {
			call.withinCallers = true;
		}
		else if (transaction == null || transaction.isCurrentTransactionReadOnly()) {
			call.outside = true;
		}
		else {
			call.enclosed = true;
			SubscriberTransactions.join(transaction, call.new Begun(null, true));
		}
	}

	private boolean isCallers(TransactionParticipant participant) {
		return participant instanceof CallCompletion.OfCaller known && known.isOf(this);
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

	private void closed() {
		this.unseenBefore = this.watch.ofSubscribers.unseen.get();
		CompletableFuture<@Nullable Void> waiting = (this.open.decrementAndGet() == 0) ? this.awaited : null;
		if (waiting != null) {
			waiting.complete(null);
		}
	}

	private boolean isSubscribed() {
		return this.kind == ResultForm.Kind.SINGLE || this.kind == ResultForm.Kind.MULTIPLE;
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
		boolean unseen = !here && this.unseenOnThreads != this.watch.ofThreads.unseen.get();
		boolean reactive = this.kind != ResultForm.Kind.PLAIN && !isEnclosed()
				&& this.unseenAtStart != this.watch.ofSubscribers.unseen.get();
		this.within = here;
		this.missed = unseen || reactive;
	}

	public boolean hasCommitted() {
		return this.lasting.get() > 0;
	}

	/**
	 * Returns whether there was one, so that everything uncommitted was undone.
	 */
	public boolean hasBegun() {
		// A method that blocks may have waited for one that was not seen before this one
		return (this.within && this.begunOnThread) || isEnclosed()
				|| (this.begunReactive && this.unseenBefore == this.watch.ofSubscribers.unseen.get()
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

	/**
	 * A transaction that was begun in this call, and so in those around it.
	 */
	final class Begun implements TransactionParticipant {

		private final WeakReference<@Nullable TransactionExecution> transaction;

		private final boolean seen;

		private final boolean reactive;

		private final boolean writing;

		/** Work that is done meanwhile is not rolled back with it. */
		private volatile boolean suspended;

		/**
		 * Takes part in a transaction.
		 * @param transaction the transaction, or {@code null} if its begin was not seen
		 */
		Begun(@Nullable TransactionExecution transaction, boolean reactive) {
			this.transaction = new WeakReference<>(transaction);
			this.seen = transaction != null;
			this.reactive = reactive;
			this.writing = transaction == null || !transaction.isReadOnly();
		}

		private @Nullable CallTransactions around(CallTransactions call) {
			return this.reactive ? call.around : call.outer;
		}

		@Override
		public void joined(BooleanSupplier over) {
			for (CallTransactions call = CallTransactions.this; call != null; call = around(call)) {
				// It has taken the place of the caller's, if there is one
				if (this.seen && call.isSubscribed() == this.reactive) {
					call.replacements.incrementAndGet();
				}
				if (this.writing) {
					call.lasting.incrementAndGet();
					begun(call);
				}
			}
		}

		private void begun(CallTransactions call) {
			if (this.reactive) {
				call.begunReactive = true;
				call.open.incrementAndGet();
				return;
			}
			call.begunOnThread = true;
			call.openOnThread++;
			if (call.record != null) {
				call.record.transactionBegun(this.transaction.get(), call.openOnThread == 1);
			}
		}

		@Override
		public void suspended() {
			this.suspended = true;
		}

		@Override
		public CompletionStage<?> completed(int status) {
			boolean undone = status == TransactionSynchronization.STATUS_ROLLED_BACK && !this.suspended;
			for (CallTransactions call = CallTransactions.this; call != null && this.writing; call = around(call)) {
				if (undone) {
					call.lasting.decrementAndGet();
				}
				if (this.reactive) {
					call.closed();
				}
				else {
					call.openOnThread--;
				}
			}
			return CompletableFuture.completedStage(null);
		}

	}

}
