/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps locks that were taken inside a transaction until it has completed: others must
 * not see the state before the commit.
 */
final class LockTransactions {

	private LockTransactions() {
	}

	static boolean isActive() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	/**
	 * Postpones a release.
	 * @return whether there is a transaction to wait for; if not, nothing was done
	 */
	static boolean afterCompletion(Runnable release) {
		if (!isActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new Release(release));
		return true;
	}

	/**
	 * Looks before the active transaction commits.
	 */
	static void beforeCommit(Runnable check) {
		TransactionSynchronizationManager.registerSynchronization(new Check(check));
	}

	/**
	 * Looks before the commit of each transaction whether the locks under which it was
	 * made are still held: also of those that were begun under a lock.
	 */
	static TransactionExecutionListener listener() {
		return new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				LockContext.assertMayCommit();
			}

		};
	}

	private record Check(Runnable check) implements TransactionSynchronization {

		@Override
		public void beforeCommit(boolean readOnly) {
			this.check.run();
		}

	}

	private record Release(Runnable release) implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void afterCompletion(int status) {
			this.release.run();
		}

	}

}
