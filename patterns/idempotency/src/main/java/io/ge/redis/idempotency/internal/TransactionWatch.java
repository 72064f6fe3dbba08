// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.core.transaction.ObservedTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;

/**
 * Observes which transactions begin and end while calls run.
 * <p>
 * A transaction counts for all calls in progress on its thread, inner and outer ones; a
 * reactive one for the calls on whose thread it is begun. Read-only transactions commit
 * nothing, and savepoints are parts of their transaction; neither counts. One whose
 * commit has failed, or that never completes, counts as committed: it may be.
 */
final class TransactionWatch {

	private final ThreadLocal<@Nullable CallTransactions> current = new ThreadLocal<>();

	final Transactions ofThreads = new Transactions(false);

	final Transactions ofSubscribers = new Transactions(true);

	public @Nullable CallTransactions current() {
		return this.current.get();
	}

	@Nullable CallTransactions bind(@Nullable CallTransactions call) {
		CallTransactions before = this.current.get();
		if (call != null) {
			this.current.set(call);
		}
		else {
			this.current.remove();
		}
		return before;
	}

	/**
	 * Transactions of one kind.
	 */
	final class Transactions extends ObservedTransactions<TransactionParticipant> {

		private final boolean reactive;

		/** The number of transactions that belong to no known call. */
		final AtomicLong unseen = new AtomicLong();

		Transactions(boolean reactive) {
			this.reactive = reactive;
		}

		@Override
		protected @Nullable TransactionParticipant beginning(TransactionExecution transaction) {
			if (!transaction.isNewTransaction()) {
				return null;
			}
			CallTransactions call = current();
			if (call == null && !transaction.isReadOnly()) {
				this.unseen.incrementAndGet();
			}
			return (call != null) ? call.new Begun(transaction, this.reactive) : null;
		}

	}

}
