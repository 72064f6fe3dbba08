// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A connection of its own on which the server answers only when there is something new.
 * It only reads: no entry is taken or changed on it, so a wait may be cut off at any time
 * without losing anything.
 * <p>
 * No method blocks the calling thread.
 */
public interface BlockingConnection extends AutoCloseable {

	/**
	 * Waits until one of several streams has an entry behind a position. Must not be
	 * called again before the result is there.
	 * @param streams the keys of the streams, at least one, all on one server
	 * @param positions for each stream the id of the last entry that is known, such as
	 * {@code 0-0}
	 * @param timeout the longest wait of the server, at least 1 ms
	 * @return completes with the keys of the streams that have one; with none after the
	 * timeout and after {@link #wake()}; exceptionally if the connection is lost
	 */
	CompletionStage<List<byte[]>> awaitEntries(List<byte[]> streams, List<String> positions, Duration timeout);

	/**
	 * Ends the wait that is under way, if there is one. A user of Redis who may not
	 * {@code CLIENT UNBLOCK} waits for its timeout instead.
	 * @return completes with whether the server had a wait to end; not so if the wait has
	 * not reached it yet
	 */
	CompletionStage<Boolean> wake();

	/**
	 * Returns whether the connection can be used, as far as is known.
	 * @return {@code false} once it is lost or closed
	 */
	boolean isOpen();

	/**
	 * Closes the connection; a wait that is under way fails.
	 */
	@Override
	void close();

}
