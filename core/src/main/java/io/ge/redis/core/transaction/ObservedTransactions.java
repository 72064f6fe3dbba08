// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Observes transactions from their begin on, bound to threads or to subscribers. The
 * thread that begins one decides who takes part in it. The other callbacks of a reactive
 * one may come on any thread.
 * <p>
 * A transaction whose begin is cancelled never completes, nor does one for which another
 * listener has failed. So each is known only while it is referenced, and a participant
 * refers to it weakly.
 */
public abstract class ObservedTransactions<P extends TransactionParticipant> implements TransactionExecutionListener {

	private final Map<TransactionExecution, P> open = new WeakHashMap<>();

	private final Lock guard = new ReentrantLock();

	/**
	 * Returns the participant of a transaction that is about to begin, if there is one.
	 * It has joined when the transaction has begun.
	 */
	protected abstract @Nullable P beginning(TransactionExecution transaction);

	/**
	 * Returns the participants of transactions that have not completed.
	 */
	protected final List<P> open() {
		List<P> all = new ArrayList<>();
		return guarded(() -> {
			this.open.forEach((transaction, participant) -> {
				if (!transaction.isCompleted()) {
					all.add(participant);
				}
			});
			return all;
		});
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		P participant = beginning(transaction);
		if (participant != null) {
			guarded(() -> this.open.put(transaction, participant));
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		P participant = (beginFailure != null) ? remove(transaction) : get(transaction);
		if (participant != null && beginFailure == null) {
			WeakReference<TransactionExecution> known = new WeakReference<>(transaction);
			participant.joined(() -> isOver(known.get()));
		}
	}

	private static boolean isOver(@Nullable TransactionExecution transaction) {
		return transaction == null || transaction.isCompleted();
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		P participant = get(transaction);
		if (participant != null) {
			Waiting.await(participant.beforeCommit());
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		end(transaction, TransactionSynchronization.STATUS_COMMITTED, commitFailure);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		end(transaction, TransactionSynchronization.STATUS_ROLLED_BACK, rollbackFailure);
	}

	private void end(TransactionExecution transaction, int status, @Nullable Throwable failure) {
		P participant = remove(transaction);
		if (participant != null) {
			participant.completed((failure == null) ? status : TransactionSynchronization.STATUS_UNKNOWN);
		}
		else if (failure != null || status != TransactionSynchronization.STATUS_COMMITTED) {
			failed(transaction);
		}
	}

	/**
	 * Called when a transaction without a participant has not committed for certain.
	 */
	protected void failed(TransactionExecution transaction) {
	}

	private @Nullable P get(TransactionExecution transaction) {
		return guarded(() -> this.open.get(transaction));
	}

	private @Nullable P remove(TransactionExecution transaction) {
		return guarded(() -> this.open.remove(transaction));
	}

	private <T extends @Nullable Object> T guarded(Supplier<T> access) {
		this.guard.lock();
		try {
			return access.get();
		}
		finally {
			this.guard.unlock();
		}
	}

}
