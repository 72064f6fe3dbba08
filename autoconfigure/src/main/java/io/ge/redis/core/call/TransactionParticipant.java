/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletionStage;

import org.springframework.core.Ordered;

/**
 * Takes part in the reactive transaction of a subscriber, for code that knows no Reactor.
 * Nothing here blocks.
 */
public interface TransactionParticipant {

	/**
	 * Called right before the transaction commits.
	 * @return the transaction commits when it completes, and is rolled back if it fails
	 */
	CompletionStage<?> beforeCommit();

	/**
	 * Returns when it is told of the end, among others that take part.
	 * @return the order, the lowest of which is told first
	 */
	default int order() {
		return Ordered.LOWEST_PRECEDENCE - 1;
	}

	/**
	 * Called when the transaction is over.
	 * @param committed whether it is certain that it was committed
	 * @return whoever waits for the transaction goes on when it completes
	 */
	CompletionStage<?> completed(boolean committed);

}
