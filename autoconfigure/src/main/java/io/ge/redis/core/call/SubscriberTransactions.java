/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import org.springframework.core.Ordered;
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
	 * Takes part in the transaction, last of all, and once for each type.
	 * @param context the context of the subscriber
	 * @param type the type of the participant
	 * @param make makes one, of the isolation level if the transaction declares one
	 * @param <T> the type
	 * @return the participant, or {@code null} if there is no transaction
	 */
	public static <T extends TransactionParticipant> @Nullable T join(Object context, Class<T> type,
			Function<@Nullable Integer, T> make) {
		TransactionSynchronizationManager transaction = find(context);
		if (transaction == null) {
			return null;
		}
		for (TransactionSynchronization synchronization : transaction.getSynchronizations()) {
			if (synchronization instanceof Participation part && type.isInstance(part.participant())) {
				return type.cast(part.participant());
			}
		}
		T made = make.apply(transaction.getCurrentTransactionIsolationLevel());
		transaction.registerSynchronization(new Participation(made));
		return made;
	}

	private record Participation(TransactionParticipant participant) implements TransactionSynchronization, Ordered {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.fromRunnable(this.participant::beforeCommit);
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.defer(() -> {
				CompletableFuture<?> done = this.participant.afterCompletion().toCompletableFuture();
				return done.isDone() ? Mono.empty()
						: Mono.fromFuture(done, true).publishOn(Schedulers.parallel()).then();
			});
		}

	}

}
