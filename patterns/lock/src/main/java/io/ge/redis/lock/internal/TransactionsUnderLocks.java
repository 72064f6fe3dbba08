// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.lang.ref.WeakReference;
import java.util.List;

import io.ge.redis.core.transaction.SeenTransactions;
import io.ge.redis.lock.BoundLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Reactive transactions that are begun under locks: they are not committed if one is
 * lost, and keep the locks until they end. Cancelling such work does not stop a commit
 * that is under way, and the next holder must see that commit.
 * <p>
 * Which locks those are is known on the thread that begins the transaction, and only
 * there: every other call may arrive on any thread.
 */
final class TransactionsUnderLocks implements TransactionExecutionListener {

	private final SeenTransactions<Begun> begun = new SeenTransactions<>();

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		List<HeldLock> locks = BoundLocks.inside()
			.stream()
			.filter(HeldLock.class::isInstance)
			.map(HeldLock.class::cast)
			.distinct()
			.toList();
		if (!locks.isEmpty()) {
			this.begun.put(transaction, new Begun(locks, new TransactionLocks(null)));
		}
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null) {
			this.begun.remove(transaction);
			return;
		}
		Begun found = this.begun.get(transaction);
		if (found != null) {
			// The entry of a transaction must not keep it in memory
			WeakReference<TransactionExecution> known = new WeakReference<>(transaction);
			found.kept().joined(() -> isOver(known.get()));
			found.locks().forEach(found.kept()::keep);
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		Begun found = this.begun.get(transaction);
		if (found != null) {
			found.kept().assertMayCommit();
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		end(transaction);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		end(transaction);
	}

	private static boolean isOver(@Nullable TransactionExecution transaction) {
		return transaction == null || transaction.isCompleted();
	}

	private void end(TransactionExecution transaction) {
		Begun found = this.begun.remove(transaction);
		if (found != null) {
			found.kept().giveUp();
		}
	}

	private record Begun(List<HeldLock> locks, TransactionLocks kept) {
	}

}
