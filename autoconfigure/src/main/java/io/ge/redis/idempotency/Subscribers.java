/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Calls and transactions of subscribers.
 */
final class Subscribers {

	private Subscribers() {
	}

	/**
	 * Finds the call that a subscriber is part of.
	 */
	static @Nullable ReactiveTransactions callAround(Object context) {
		return SubscriberContext.find(context, ReactiveTransactions.class);
	}

	/**
	 * Returns a context in which the method's publisher finds its call.
	 */
	static Object with(Object context, IdempotencyContext claim, ReactiveTransactions call) {
		return SubscriberContext.with(SubscriberContext.with(context, IdempotencyContext.class, claim),
				ReactiveTransactions.class, call);
	}

	/**
	 * Awaits the end of the transaction that a subscriber is in.
	 */
	static void join(Object context, Settlement settlement, ReactiveTransactions call) {
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction != null) {
			settlement.join();
			SubscriberTransactions.join(transaction, new OfCaller(settlement, call));
		}
	}

	/**
	 * Sees in which transaction the work of a method is done.
	 * @param context the context in which the method's publisher is subscribed to
	 */
	static void enter(Object context) {
		ReactiveTransactions call = callAround(context);
		if (call == null) {
			return;
		}
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction == null) {
			call.entered(false, false);
		}
		else if (isOfCaller(transaction, call)) {
			call.entered(false, true);
		}
		else if (transaction.isCurrentTransactionReadOnly()) {
			call.entered(false, false);
		}
		else {
			SubscriberTransactions.join(transaction, new OfMethod(call));
			call.entered(true, false);
		}
	}

	private static boolean isOfCaller(TransactionSynchronizationManager transaction, ReactiveTransactions call) {
		return SubscriberTransactions.participants(transaction)
			.stream()
			.anyMatch((participant) -> participant instanceof OfCaller known && known.call() == call);
	}

	/**
	 * Awaits the end of the transaction of a caller.
	 *
	 * @param settlement told of it
	 * @param call the call
	 */
	private record OfCaller(Settlement settlement, ReactiveTransactions call) implements TransactionParticipant {

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
	 * Awaits the end of a transaction in which the work of a method is done. What is done
	 * while it is set aside is not rolled back with it.
	 */
	private static final class OfMethod implements TransactionParticipant {

		private final ReactiveTransactions call;

		private volatile boolean suspended;

		OfMethod(ReactiveTransactions call) {
			this.call = call;
		}

		@Override
		public void suspended() {
			this.suspended = true;
		}

		@Override
		public CompletionStage<?> completed(int status) {
			this.call.ended(status == TransactionSynchronization.STATUS_ROLLED_BACK && !this.suspended);
			return CompletableFuture.completedStage(null);
		}

	}

}
