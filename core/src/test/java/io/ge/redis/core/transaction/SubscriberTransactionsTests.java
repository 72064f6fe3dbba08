// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.ge.redis.test.FailingSynchronization;
import io.ge.redis.test.ReactiveDatabase;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests of the transactions of subscribers.
 */
class SubscriberTransactionsTests {

	@Test
	void thereIsNoneInAnEmptyContext() {
		assertThat(SubscriberTransactions.find(Context.empty())).isNull();
	}

	@Test
	void endOfTheTransactionOfTheSubscriberIsTold() {
		TransactionalOperator transaction = TransactionalOperator
			.create(ReactiveDatabase.create().transactionManager());
		AtomicInteger status = new AtomicInteger(-1);
		Mono.deferContextual((context) -> {
			TransactionSynchronizationManager found = SubscriberTransactions.find(context);
			assertThat(found).isNotNull();
			found.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> afterCompletion(int ended) {
					status.set(ended);
					return Mono.empty();
				}

			});
			return Mono.just("value");
		}).as(transaction::transactional).block();
		assertThat(status).hasValue(TransactionSynchronization.STATUS_COMMITTED);
	}

	@Test
	void participantJoinsOnceAndMayVeto() {
		TransactionalOperator transaction = TransactionalOperator
			.create(ReactiveDatabase.create().transactionManager());
		Participant participant = new Participant();
		Mono<Boolean> joinedTwice = Mono.deferContextual((context) -> {
			Participant first = SubscriberTransactions.participant(context, Participant.class,
					(isolation) -> participant);
			Participant second = SubscriberTransactions.participant(context, Participant.class,
					(isolation) -> new Participant());
			return Mono.just(first == participant && second == participant);
		});
		assertThat(joinedTwice.as(transaction::transactional).block()).isTrue();
		assertThat(participant.ends).containsExactly(true);
		participant.veto = true;
		assertThatIllegalStateException().isThrownBy(() -> joinedTwice.as(transaction::transactional).block())
			.withMessage("veto");
		assertThat(participant.ends).containsExactly(true, false);
		assertThat(SubscriberTransactions.participant(Context.empty(), Participant.class, (isolation) -> participant))
			.isNull();
	}

	@Test
	void branchesOfOneTransactionHaveOneParticipant() {
		TransactionalOperator transaction = TransactionalOperator
			.create(ReactiveDatabase.create().transactionManager());
		AtomicInteger made = new AtomicInteger();
		Flux.range(0, 1000)
			.flatMap((i) -> Mono.deferContextual((context) -> Mono.just(Objects
				.requireNonNull(SubscriberTransactions.participant(context, Participant.class, (isolation) -> {
					made.incrementAndGet();
					return new Participant();
				})))).subscribeOn(Schedulers.parallel()), 8)
			.as(transaction::transactional)
			.blockLast();
		assertThat(made).hasValue(1);
	}

	@Test
	void endThatNobodyIsToldOfCanBeSeen() {
		R2dbcTransactionManager manager = ReactiveDatabase.create().transactionManager();
		TransactionalOperator transaction = TransactionalOperator.create(manager);
		DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
		definition.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		TransactionalOperator inner = TransactionalOperator.create(manager, definition);
		for (FailingSynchronization failing : FailingSynchronization.values()) {
			Participant participant = new Participant();
			List<Boolean> over = new ArrayList<>();
			Mono<Object> look = Mono.fromRunnable(() -> over.add(participant.over.getAsBoolean()));
			Mono<Object> work = Mono.deferContextual((context) -> {
				SubscriberTransactions.participant(context, Participant.class, (isolation) -> participant);
				SubscriberTransactions.find(context).registerSynchronization(failing);
				return look;
			});
			assertThatThrownBy(
					() -> work.then(inner.transactional(look)).then(look).as(transaction::transactional).block())
				.hasStackTraceContaining("Transaction");
			assertThat(over).containsExactly(false, false, false);
			assertThat(participant.ends).isEmpty();
			assertThat(participant.over.getAsBoolean()).isTrue();
		}
	}

	private static final class Participant implements TransactionParticipant {

		private final List<Boolean> ends = new ArrayList<>();

		private BooleanSupplier over = () -> false;

		@Override
		public void joined(BooleanSupplier over) {
			this.over = over;
		}

		private boolean veto;

		@Override
		public CompletionStage<?> beforeCommit() {
			return this.veto ? CompletableFuture.failedStage(new IllegalStateException("veto"))
					: CompletableFuture.completedStage(null);
		}

		@Override
		public CompletionStage<?> completed(int status) {
			this.ends.add(status == TransactionSynchronization.STATUS_COMMITTED);
			return CompletableFuture.completedStage(null);
		}

	}

}
