/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Finds the reactive transaction that a subscriber is in.
 */
public final class SubscriberTransactions {

	private SubscriberTransactions() {
	}

	/**
	 * Returns where one can register what is done at the end of the transaction.
	 * @param context the context of the subscriber
	 * @return the transaction's synchronizations, or {@code null} if there is none
	 */
	public static @Nullable TransactionSynchronizationManager find(Object context) {
		// What the context holds is there at once
		return TransactionSynchronizationManager.forCurrentTransaction()
			.filter((transaction) -> transaction.isActualTransactionActive() && transaction.isSynchronizationActive())
			.onErrorResume(NoTransactionException.class, (none) -> Mono.empty())
			.contextWrite((ContextView) context)
			.toFuture()
			.getNow(null);
	}

	/**
	 * Lets the end of the transaction be told that a subscriber is in.
	 * @param context the context of the subscriber
	 * @param end told of it
	 * @return whether there is a transaction
	 */
	public static boolean register(Object context, TransactionEnd end) {
		TransactionSynchronizationManager transaction = find(context);
		if (transaction == null) {
			return false;
		}
		transaction.registerSynchronization(new Registration(end));
		return true;
	}

	/**
	 * Returns whether the end of the transaction that a subscriber is in is told to
	 * somebody.
	 * @param context the context of the subscriber
	 * @param end the one
	 * @return whether it was registered for that transaction
	 */
	public static boolean isRegistered(Object context, TransactionEnd end) {
		TransactionSynchronizationManager transaction = find(context);
		return transaction != null && transaction.getSynchronizations()
			.stream()
			.anyMatch((registered) -> registered instanceof Registration known && known.end() == end);
	}

	/**
	 * Returns whether a subscriber is in a transaction that can commit something.
	 * @param context the context of the subscriber
	 * @return whether there is one, and not only for reading
	 */
	public static boolean isWriting(Object context) {
		TransactionSynchronizationManager transaction = find(context);
		return transaction != null && !transaction.isCurrentTransactionReadOnly();
	}

	/**
	 * Tells of the end of a transaction. What that waits for is not given up with it.
	 *
	 * @param end told of it
	 */
	private record Registration(TransactionEnd end) implements TransactionSynchronization {

		@Override
		public Mono<Void> suspend() {
			return Mono.fromRunnable(this.end::suspended);
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromFuture(() -> this.end.completed(status).toCompletableFuture(), true).then();
		}

	}

}
