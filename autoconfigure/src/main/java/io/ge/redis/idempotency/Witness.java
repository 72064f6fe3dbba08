/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Keeps rows where the effects of calls are, so that one commit has both. At most one row
 * of an id can be committed.
 */
interface Witness {

	/**
	 * Whether this thread is in a transaction in which a row can be written.
	 */
	boolean isInTransaction();

	/**
	 * Writes a row in the transaction of this thread.
	 * @param row the row
	 * @param retention for how long it is kept, at least
	 * @throws EffectAlreadyCommittedException if there is one with its id
	 */
	void write(WitnessRow row, Duration retention);

	/**
	 * Finds a row that is committed. With the connection of this thread's transaction, if
	 * there is one: whoever holds a connection must not have to wait for another one.
	 * Such a transaction may see an older state, in which a row is missing; then it
	 * cannot write that row either.
	 * @param id stands for operation, scope and key
	 * @param apart whether to look with another connection, because the transaction of
	 * this thread may have written the row, and not committed it
	 * @return the row, or {@code null} if there is none
	 */
	@Nullable WitnessRow find(String id, boolean apart);

	/**
	 * Removes no more rows.
	 */
	void stop();

}
