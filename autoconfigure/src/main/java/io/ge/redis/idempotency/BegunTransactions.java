/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

/**
 * The transactions that were begun in a call, as far as that is known.
 */
interface BegunTransactions {

	/**
	 * Returns whether one was, or may have been, committed.
	 */
	boolean hasCommitted();

	/**
	 * Returns whether there was one, so that what they have not committed was not changed
	 * at all.
	 */
	boolean hasBegun();

	/**
	 * Returns whether there may have been one of which nothing is known.
	 */
	boolean mayHaveMissed();

	/**
	 * Returns whether the call has also run outside of its caller's transaction.
	 * @param suspensions how often that was set aside
	 */
	boolean hasLeftCaller(int suspensions);

}
