// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Finds the transaction of the current thread, which waits there for its participants.
 */
public final class ThreadTransactions {

	private ThreadTransactions() {
	}

	public static boolean isActive() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	/**
	 * Takes part in the transaction of this thread.
	 * @return whether there is a transaction; if not, nothing was done
	 */
	public static boolean join(TransactionParticipant participant) {
		if (!isActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new Participation(participant));
		return true;
	}

	/**
	 * Returns whether the transaction of this thread is one that a participant has
	 * joined, and not another one while that is suspended.
	 */
	public static boolean hasJoined(TransactionParticipant participant) {
		return isActive() && TransactionSynchronizationManager.getSynchronizations()
			.stream()
			.anyMatch((each) -> each instanceof Participation known && known.participant == participant);
	}

	/**
	 * Returns the participant of a kind in the transaction of this thread, and lets one
	 * join if there is none yet.
	 * @param maker makes one that joins, of the isolation level if the transaction
	 * declares one
	 */
	public static <T extends TransactionParticipant> @Nullable T participant(Class<T> type,
			Function<@Nullable Integer, T> maker) {
		if (!isActive()) {
			return null;
		}
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof Participation known && type.isInstance(known.participant)) {
				return type.cast(known.participant);
			}
		}
		T made = maker.apply(TransactionSynchronizationManager.getCurrentTransactionIsolationLevel());
		join(made);
		return made;
	}

	/**
	 * Rolls a participant back with each savepoint that was set before it joined.
	 */
	private static final class Participation implements TransactionSynchronization {

		private final TransactionParticipant participant;

		private final Set<Object> ownSavepoints = new HashSet<>(0);

		private boolean rolledBack;

		private boolean completesLater;

		Participation(TransactionParticipant participant) {
			this.participant = participant;
		}

		@Override
		public int getOrder() {
			return this.participant.order();
		}

		@Override
		public void suspend() {
			this.participant.suspended();
		}

		@Override
		public void savepoint(Object savepoint) {
			this.ownSavepoints.add(savepoint);
			this.participant.savepoint(savepoint);
		}

		@Override
		public void savepointRollback(Object savepoint) {
			if (this.ownSavepoints.contains(savepoint)) {
				this.participant.rolledBackTo(savepoint);
			}
			else {
				this.rolledBack = true;
			}
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			Waiting.await(this.participant.beforeCommit());
		}

		// With the same order, the last registered one is notified last
		@Override
		public void beforeCompletion() {
			if (this.participant.isLast() && TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(new Completion(this));
				this.completesLater = true;
			}
		}

		@Override
		public void afterCompletion(int status) {
			if (!this.completesLater) {
				complete(status);
			}
		}

		void complete(int status) {
			Waiting.await(this.participant
				.completed((this.rolledBack && status == STATUS_COMMITTED) ? STATUS_ROLLED_BACK : status));
		}

	}

	private record Completion(Participation participation) implements TransactionSynchronization {

		@Override
		public void afterCompletion(int status) {
			this.participation.complete(status);
		}

	}

}
