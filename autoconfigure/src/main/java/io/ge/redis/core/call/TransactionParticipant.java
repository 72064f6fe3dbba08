/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletionStage;

/**
 * Takes part in the reactive transaction of a subscriber.
 */
public interface TransactionParticipant {

	/**
	 * Looks before the commit.
	 * @throws RuntimeException a veto
	 */
	void beforeCommit();

	/**
	 * Does what is to be done when the transaction has completed. Does not block.
	 * @return the transaction goes on when it completes, which it does not exceptionally
	 */
	CompletionStage<?> afterCompletion();

}
