// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.core.outage.Waiting;
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

	/**
	 * Held briefly while synchronizations are read or added: branches of one transaction
	 * may do so concurrently, and Spring keeps them in a plain set.
	 */
	private static final Lock lock = new ReentrantLock();

	private SubscriberTransactions() {
	}

	/**
	 * Returns the manager at which synchronizations of the transaction are registered.
	 */
	public static @Nullable TransactionSynchronizationManager find(Object context) {
		// The context's content is available at once
		return TransactionSynchronizationManager.forCurrentTransaction()
			.filter((transaction) -> transaction.isActualTransactionActive() && transaction.isSynchronizationActive())
			.onErrorResume(NoTransactionException.class, (none) -> Mono.empty())
			.contextWrite((ContextView) context)
			.toFuture()
			.getNow(null);
	}

	/**
	 * Returns the participant of a kind in a transaction, and lets one join if there is
	 * none yet. May be called for one transaction by several threads at once.
	 */
	public static <T extends TransactionParticipant> T participant(TransactionSynchronizationManager transaction,
			Class<T> type, Supplier<T> maker) {
		lock.lock();
		try {
			T participant = participant(transaction, type);
			if (participant == null) {
				participant = maker.get();
				join(transaction, participant);
			}
			return participant;
		}
		finally {
			lock.unlock();
		}
	}

	public static void join(TransactionSynchronizationManager transaction, TransactionParticipant participant) {
		Participation participation = new Participation(participant, transaction, new AtomicBoolean());
		lock.lock();
		try {
			transaction.registerSynchronization(participation);
		}
		finally {
			lock.unlock();
		}
		participant.joined(participation::isOver);
	}

	public static List<TransactionParticipant> participants(TransactionSynchronizationManager transaction) {
		lock.lock();
		try {
			Stream<TransactionSynchronization> all = transaction.isSynchronizationActive()
					? transaction.getSynchronizations().stream() : Stream.of();
			return all.filter(Participation.class::isInstance)
				.map((each) -> ((Participation) each).participant())
				.toList();
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * Returns the participant of a kind in the transaction of a subscriber, and lets one
	 * join if there is none yet.
	 * @param maker makes one that will take part, of the isolation level if the
	 * transaction declares one
	 */
	public static <T extends TransactionParticipant> @Nullable T participant(Object context, Class<T> type,
			Function<@Nullable Integer, T> maker) {
		TransactionSynchronizationManager transaction = find(context);
		return (transaction != null)
				? participant(transaction, type, () -> maker.apply(transaction.getCurrentTransactionIsolationLevel()))
				: null;
	}

	/**
	 * Returns the participant of a kind in a transaction, or {@code null}.
	 */
	public static <T extends TransactionParticipant> @Nullable T participant(
			TransactionSynchronizationManager transaction, Class<T> type) {
		return participants(transaction).stream().filter(type::isInstance).map(type::cast).findFirst().orElse(null);
	}

	/**
	 * A suspended transaction has no synchronizations; a resumed one has all of them
	 * again.
	 */
	private record Participation(TransactionParticipant participant, TransactionSynchronizationManager transaction,
			AtomicBoolean suspended) implements TransactionSynchronization, Ordered {

		/**
		 * Returns whether the transaction is over: its manager always cleans up in the
		 * end.
		 */
		boolean isOver() {
			return !this.suspended.get() && !this.transaction.isActualTransactionActive();
		}

		@Override
		public int getOrder() {
			return this.participant.order();
		}

		@Override
		public Mono<Void> suspend() {
			return Mono.fromRunnable(() -> {
				this.suspended.set(true);
				this.participant.suspended();
			});
		}

		@Override
		public Mono<Void> resume() {
			return Mono.fromRunnable(() -> this.suspended.set(false));
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.defer(() -> after(this.participant.beforeCommit()));
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.defer(() -> after(this.participant.completed(status)));
		}

		// The transaction continues on a thread of the application, not of the driver
		private static Mono<Void> after(CompletionStage<?> step) {
			CompletableFuture<?> taken = step.toCompletableFuture();
			// Cancelling the subscription undoes nothing
			Mono<?> done = Mono.fromFuture(taken, true).onErrorMap(Waiting::cause);
			if (!taken.isDone()) {
				done = done.publishOn(
						Schedulers.isInNonBlockingThread() ? Schedulers.parallel() : Schedulers.boundedElastic());
			}
			return done.then();
		}

	}

}
