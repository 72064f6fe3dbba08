// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Takes part in a transaction, of a thread or of a subscriber, for code that knows no
 * Reactor. Nothing here blocks.
 */
public interface TransactionParticipant {

	/**
	 * Called when it takes part.
	 * @param over returns whether the transaction is over, also if no participant was
	 * notified: none is if another synchronization fails after the commit, or before it
	 * with a checked exception
	 */
	default void joined(BooleanSupplier over) {
	}

	/**
	 * Called right before the transaction commits.
	 * @return the transaction commits when it completes, and is rolled back if it fails
	 */
	default CompletionStage<?> beforeCommit() {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Called when the transaction is suspended.
	 */
	default void suspended() {
	}

	/**
	 * Called when a savepoint is set after this has joined; only for transactions of
	 * threads.
	 */
	default void savepoint(Object savepoint) {
	}

	/**
	 * Called when the transaction is rolled back to such a savepoint.
	 */
	default void rolledBackTo(Object savepoint) {
	}

	/**
	 * Returns the order of its notification of the end, among other participants.
	 * @return the order; the lowest is notified first
	 */
	default int order() {
		return Ordered.LOWEST_PRECEDENCE - 1;
	}

	/**
	 * Returns whether it is notified of the end after all others, also those that have
	 * joined later with the same order.
	 * @return whether it is the last; only for transactions of threads
	 */
	default boolean isLast() {
		return false;
	}

	/**
	 * Called when the transaction is over.
	 * @param status how it has ended, by the constants of
	 * {@link TransactionSynchronization}
	 * @return completes when callers that wait for the transaction may continue
	 */
	CompletionStage<?> completed(int status);

}
