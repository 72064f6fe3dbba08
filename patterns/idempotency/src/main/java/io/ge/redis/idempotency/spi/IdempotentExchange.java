// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The exchange that a call answers, such as a request with its response. The filter that
 * sees it as a whole captures the response, and replays it to repetitions byte by byte.
 */
public interface IdempotentExchange {

	/**
	 * Returns when another call may ask for its key: an earlier attempt to answer the
	 * same exchange has to be over. Not used by calls that wait on their threads.
	 */
	default CompletionStage<?> ready() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Returns whether a call on this thread has to wait there for its claim, although its
	 * result is asynchronous: the method needs values that are bound to the thread of the
	 * exchange.
	 */
	default boolean isAwaitedHere() {
		return false;
	}

	/**
	 * A call has claimed its key and is about to run: its response is to be captured. The
	 * completion must always be notified of it before it is sent, since the claim is
	 * prolonged until then.
	 */
	void capture(Completion completion);

	/**
	 * Answers the exchange with the response to an earlier call; further output is not
	 * sent.
	 * @param response possibly stored by another version of the application
	 * @return the replacement for the result of the method
	 * @throws RuntimeException if the bytes cannot be read
	 */
	@Nullable Object replay(byte[] response);

	interface Completion {

		boolean isRunning();

		/**
		 * Returns whether the method has ended with an exception that is a final outcome,
		 * so that any answer is kept.
		 */
		boolean isFinal();

		/**
		 * Returns the failure of the method, or {@code null}.
		 */
		@Nullable Throwable failure();

		/**
		 * The exchange has its response. Only the first answer ends the claim.
		 * @param failed whether it answers an exception, of the method or of later
		 * processing
		 * @return completes when Redis has stored it, or is unavailable, with whether
		 * this has ended the claim
		 */
		CompletionStage<Boolean> answered(Recording response, boolean failed);

		/**
		 * The exchange has ended without a response of its own: the result or exception
		 * of the method decides.
		 * @return as for {@link #answered}
		 */
		CompletionStage<Boolean> unanswered();

	}

}
