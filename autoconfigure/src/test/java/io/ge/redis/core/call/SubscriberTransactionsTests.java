/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.ReactiveDatabase;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
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
			Participant first = SubscriberTransactions.join(context, Participant.class, (isolation) -> participant);
			Participant second = SubscriberTransactions.join(context, Participant.class,
					(isolation) -> new Participant());
			return Mono.just(first == participant && second == participant);
		});
		assertThat(joinedTwice.as(transaction::transactional).block()).isTrue();
		assertThat(participant.completed).hasValue(1);
		participant.veto = true;
		assertThatIllegalStateException().isThrownBy(() -> joinedTwice.as(transaction::transactional).block())
			.withMessage("veto");
		assertThat(participant.completed).hasValue(2);
		assertThat(SubscriberTransactions.join(Context.empty(), Participant.class, (isolation) -> participant))
			.isNull();
	}

	@Test
	void contextIsReadAndWritten() {
		Object context = SubscriberContexts.put(Context.empty(), "key", "value");
		assertThat(SubscriberContexts.get(context, "key")).isEqualTo("value");
		assertThat(SubscriberContexts.get(context, "other")).isNull();
	}

	private static final class Participant implements TransactionParticipant {

		private final AtomicInteger completed = new AtomicInteger();

		private boolean veto;

		@Override
		public void beforeCommit() {
			if (this.veto) {
				throw new IllegalStateException("veto");
			}
		}

		@Override
		public CompletionStage<?> afterCompletion() {
			this.completed.incrementAndGet();
			return CompletableFuture.completedStage(null);
		}

	}

}
