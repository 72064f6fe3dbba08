/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.ReactiveDatabase;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;

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

}
