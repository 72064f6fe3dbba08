/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.ReactiveDatabase;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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
	void contextIsReadAndWritten() {
		Object context = SubscriberContext.with(Context.empty(), "key", "value");
		assertThat(SubscriberContext.find(context, "key")).isEqualTo("value");
		assertThat(SubscriberContext.find(context, "other")).isNull();
	}

	private static final class Participant implements TransactionParticipant {

		private final List<Boolean> ends = new ArrayList<>();

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
