// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * A connection of its own to one server, for scripts whose writes replicas must have.
 * {@code WAIT} waits for the writes of its connection, which serves nothing else
 * meanwhile. So it must not be sent on a shared connection.
 * <p>
 * No method blocks.
 */
public interface ReplicatedConnection extends AutoCloseable {

	/**
	 * Runs scripts and then waits until replicas have all writes of this connection so
	 * far. Must not be called again before the result has arrived.
	 * @param millis the longest wait, above zero
	 * @return completes when there are enough acknowledgements or the time is over
	 */
	CompletionStage<Acknowledged> run(List<Call> calls, int replicas, long millis);

	/**
	 * Returns whether the connection can be used, as far as is known.
	 */
	boolean isOpen();

	/**
	 * Closes the connection; pending calls fail.
	 */
	@Override
	void close();

	/**
	 * A script on its way.
	 *
	 * @param reply completed as by {@link GuardConnection#evalSha}, before replicas have
	 * acknowledged anything
	 */
	record Call(byte[] text, byte[][] keys, byte[][] arguments, CompletableFuture<List<?>> reply) {

		void complete(@Nullable List<?> answer, @Nullable Throwable failure) {
			if (failure != null) {
				this.reply.completeExceptionally(failure);
			}
			else {
				this.reply.complete((answer != null) ? answer : List.of());
			}
		}

	}

	/**
	 * The number of replicas that have the writes of a connection.
	 *
	 * @param connected how many replicas the server has at all; negative if that is
	 * unknown, such as when there were enough
	 */
	record Acknowledged(int replicas, int connected) {
	}

}
