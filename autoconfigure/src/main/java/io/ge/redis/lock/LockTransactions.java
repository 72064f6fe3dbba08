/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.sql.Connection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.transaction.ThreadTransactions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Keeps locks that were taken inside a transaction until it has completed: others must
 * not see the state before the commit.
 */
final class LockTransactions {

	private static final Log logger = LogFactory.getLog(LockTransactions.class);

	/** Names may be made up at run time. */
	private static final int MOST_WARNINGS = 100;

	private static final Set<String> warned = ConcurrentHashMap.newKeySet();

	private LockTransactions() {
	}

	/**
	 * Warns of a lock that is taken inside a transaction which sees the data as they were
	 * before: it does not see what the last holder has committed. Once for each name.
	 */
	static void warnIfOlder(String name, @Nullable Integer isolation) {
		if (isolation != null && isolation >= Connection.TRANSACTION_REPEATABLE_READ && warned.size() < MOST_WARNINGS
				&& warned.add(name)) {
			logger.warn("The lock '" + name + "' is taken inside a transaction with the isolation level "
					+ ((isolation == Connection.TRANSACTION_SERIALIZABLE) ? "SERIALIZABLE" : "REPEATABLE READ")
					+ ", which may not see what the last holder has committed: take it before the transaction begins");
		}
	}

	/**
	 * Returns the locks that the transaction of this thread keeps, if it is in one, for
	 * work that goes on elsewhere.
	 */
	static @Nullable KeptLocks kept() {
		return ThreadTransactions.participant(KeptLocks.class, KeptLocks::new);
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

}
