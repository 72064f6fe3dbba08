/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.transaction.NoTransactionException;
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

}
