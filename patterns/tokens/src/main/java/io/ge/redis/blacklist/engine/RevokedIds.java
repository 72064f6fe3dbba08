/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.engine;

/**
 * Ids of what is revoked. Written by one thread at a time, read by any number without
 * locks.
 */
sealed interface RevokedIds permits KnownIds, IdFilter {

	/**
	 * Returns whether an id with this fast half may be in the set; {@code false} is
	 * certain.
	 */
	boolean mayHold(long fast);

	/**
	 * Adds an id, or prolongs it.
	 * @param fast the fast half, not zero
	 */
	void add(long fast, long strong, long untilMillis, long nowMillis);

	long size();

	long bytes();

}
