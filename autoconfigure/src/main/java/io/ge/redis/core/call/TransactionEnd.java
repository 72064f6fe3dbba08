/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletionStage;

/**
 * Is told of the end of a reactive transaction.
 */
public interface TransactionEnd {

	/**
	 * The transaction was set aside, for another one or for none at all.
	 */
	default void suspended() {
	}

	/**
	 * The transaction has ended.
	 * @param status how, by the constants of Spring's synchronizations
	 * @return whoever ends the transaction goes on when it completes
	 */
	CompletionStage<?> completed(int status);

}
