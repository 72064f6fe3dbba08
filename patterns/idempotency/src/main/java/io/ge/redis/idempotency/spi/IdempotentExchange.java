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
	 * same exchange has to be over. Not asked for by calls that wait on their threads.
	 */
	default CompletionStage<?> ready() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Returns whether a call that is made on this thread has to wait there for its claim,
	 * although its result comes later: what the method needs is bound to the thread that
	 * answers the exchange.
	 */
	default boolean isAwaitedHere() {
		return false;
	}

	/**
	 * A call has claimed its key and is about to run: its response is to be captured. The
	 * completion must be told of it before it is sent, whatever happens, since the claim
	 * is prolonged until then.
	 */
	void capture(Completion completion);

	/**
	 * Answers the exchange with the response to an earlier call; what else is written is
	 * not sent.
	 * @param response possibly stored by another version of the application
	 * @return what the method returns in the place of its result
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
		 * Returns what the method has failed with, or {@code null}.
		 */
		@Nullable Throwable failure();

		/**
		 * The exchange has its response. Only the first answer ends the claim.
		 * @param failed whether it answers an exception, be it of the method or of what
		 * came after it
		 * @return completes when Redis has it, as far as it is there, with whether this
		 * has ended the claim
		 */
		CompletionStage<Boolean> answered(Recording response, boolean failed);

		/**
		 * The exchange has ended without a response of its own: what the method has
		 * returned or thrown decides, once it has ended.
		 * @return as for {@link #answered}
		 */
		CompletionStage<Boolean> unanswered();

	}

}
