/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.call.SubscriberTransactions;
import io.ge.redis.core.call.Subscribers;
import io.ge.redis.core.call.TransactionEnd;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;

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

	private final AtomicInteger begun = new AtomicInteger();

	private final AtomicInteger rolledBack = new AtomicInteger();

	private final AtomicInteger open = new AtomicInteger();

	private final AtomicInteger replacements = new AtomicInteger();

	private volatile boolean committed;

	private volatile boolean outside;

	private volatile boolean enclosed;

	private volatile @Nullable TransactionEnd callers;

	private volatile long unseenBefore;

	private volatile @Nullable CompletableFuture<@Nullable Void> awaited;

	ReactiveTransactions(ReactiveTransactionWatch watch, @Nullable ReactiveTransactions outer) {
		this.watch = watch;
		this.outer = outer;
	}

	/**
	 * Awaits the end of the transaction that the subscriber is in.
	 * @param context the context of the subscriber
	 * @param settlement told of it
	 */
	void join(Object context, Settlement settlement) {
		TransactionEnd end = new OfCaller(settlement);
		if (SubscriberTransactions.find(context) != null) {
			settlement.join();
			SubscriberTransactions.register(context, end);
			this.callers = end;
		}
	}

	/**
	 * The method is about to do its work.
	 * @param context the context in which it does
	 */
	private void enter(Object context) {
		TransactionEnd known = this.callers;
		if (known != null && SubscriberTransactions.isRegistered(context, known)) {
			return;
		}
		if (SubscriberTransactions.isWriting(context) && SubscriberTransactions.register(context, new OfMethod())) {
			this.enclosed = true;
			begun(true);
		}
		else {
			this.outside = true;
		}
	}

	/**
	 * Lets the transaction be seen in which the work of a method is done.
	 * @param form the form of the method
	 * @param promise the promise of the method
	 * @return the promise to pass on
	 */
	static Object entering(ResultForm form, Object promise) {
		return Subscribers.enter(form, promise, (context) -> {
			ReactiveTransactions call = Subscribers.find(context, ReactiveTransactions.class);
			if (call != null) {
				call.enter(context);
			}
		});
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
		if (this.enclosed && !this.outside) {
			return true;
		}
		return this.begun.get() > 0 && this.unseenBefore == this.watch.unseen();
	}

	boolean hasLeftCaller(int suspensions) {
		return suspensions > this.replacements.get();
	}

	/**
	 * Awaits the end of the transaction of the caller.
	 *
	 * @param settlement told of it
	 */
	private record OfCaller(Settlement settlement) implements TransactionEnd {

		@Override
		public void suspended() {
			this.settlement.callerSuspended();
		}

		@Override
		public CompletionStage<?> completed(int status) {
			return this.settlement.callerCompleted(status);
		}

	}

	/**
	 * Awaits the end of a transaction in which the work of the method is done. What is
	 * done while it is set aside is not rolled back with it.
	 */
	private final class OfMethod implements TransactionEnd {

		private volatile boolean suspended;

		@Override
		public void suspended() {
			this.suspended = true;
		}

		@Override
		public CompletionStage<?> completed(int status) {
			ended(status == TransactionSynchronization.STATUS_ROLLED_BACK && !this.suspended);
			return GuardedCall.Work.DONE;
		}

	}

}
