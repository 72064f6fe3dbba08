// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.List;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * A transaction that was begun without Spring, and that its coordinator ends on a thread
 * of its own, as after a timeout. Spring takes part in it.
 */
public final class OuterTransaction extends AbstractPlatformTransactionManager {

	private final List<TransactionSynchronization> synchronizations = new ArrayList<>();

	/**
	 * Ends it and returns when those who take part in it know.
	 */
	public void end(int status) {
		Thread coordinator = new Thread(() -> invokeAfterCompletion(this.synchronizations, status));
		coordinator.start();
		try {
			coordinator.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	protected Object doGetTransaction() {
		return this;
	}

	@Override
	protected boolean isExistingTransaction(Object transaction) {
		return true;
	}

	@Override
	protected void registerAfterCompletionWithExistingTransaction(Object transaction,
			List<TransactionSynchronization> added) {
		this.synchronizations.addAll(added);
	}

	@Override
	protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		// The test says how it ends
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		throw new UnsupportedOperationException();
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		throw new UnsupportedOperationException();
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
		throw new UnsupportedOperationException();
	}

}
