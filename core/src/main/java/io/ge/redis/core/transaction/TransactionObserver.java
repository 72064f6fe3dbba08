// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.transaction;

import org.springframework.transaction.TransactionExecutionListener;

/**
 * Observes the transactions of the application, on all of its transaction managers.
 */
public interface TransactionObserver {

	TransactionExecutionListener transactionListener();

	TransactionExecutionListener reactiveTransactionListener();

}
