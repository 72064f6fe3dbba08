// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import io.ge.redis.idempotency.IdempotencyContext;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Calls and transactions of subscribers.
 */
final class Subscribers {

	private Subscribers() {
	}

	static @Nullable CallTransactions callAround(Object context) {
		return SubscriberContext.find(context, CallTransactions.class);
	}

	static Object with(Object context, IdempotencyContext claim, CallTransactions call) {
		return SubscriberContext.with(SubscriberContext.with(context, IdempotencyContext.class, claim),
				CallTransactions.class, call);
	}

	static boolean join(Object context, TransactionParticipant participant) {
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction == null) {
			return false;
		}
		SubscriberTransactions.join(transaction, participant);
		return true;
	}

	/**
	 * Sees in which transaction the work of a method is done.
	 */
	static void enter(Object context) {
		CallTransactions call = callAround(context);
		if (call == null) {
			return;
		}
		TransactionSynchronizationManager transaction = SubscriberTransactions.find(context);
		if (transaction == null) {
			call.entered(false, false);
			return;
		}
		boolean callers = SubscriberTransactions.participants(transaction)
			.stream()
			.anyMatch((participant) -> participant instanceof CallCompletion.OfCaller known && known.isOf(call));
		boolean own = !callers && !transaction.isCurrentTransactionReadOnly();
		if (own) {
			SubscriberTransactions.join(transaction, call.new Begun(null, true));
		}
		call.entered(own, callers);
	}

}
