/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A connection of its own to one server, for scripts whose writes replicas are to have.
 * {@code WAIT} waits for what the same connection has written, and nothing else is served
 * on it meanwhile, so it must be sent on no connection that others use.
 * <p>
 * No method blocks.
 */
public interface ReplicatedConnection extends AutoCloseable {

	/**
	 * Runs scripts and then waits until replicas have what was written on this connection
	 * so far. Must not be called again before the result is there.
	 * @param calls the scripts
	 * @param replicas how many replicas are waited for
	 * @param millis how long at most, above zero
	 * @return completes when there are enough acknowledgements or the time is over
	 */
	CompletionStage<Acknowledged> run(List<ReplicatedCall> calls, int replicas, long millis);

	/**
	 * Returns whether the connection can be used, as far as is known.
	 * @return {@code false} once it is lost or closed
	 */
	boolean isOpen();

	/**
	 * Closes the connection; what is under way fails.
	 */
	@Override
	void close();

}
