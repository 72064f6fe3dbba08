/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.record;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The exchange that a call answers, such as a request with its response. Whoever sees it
 * as a whole captures the response that is sent, and gives it to repetitions byte by
 * byte.
 */
public interface IdempotentExchange {

	/**
	 * Returns when another call may ask for its key: an earlier attempt to answer the
	 * same exchange has to be over. Not asked for by calls that wait on their threads.
	 * @return completes when there is none
	 */
	default CompletionStage<?> ready() {
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Returns whether a call that is made on this thread has to wait there for its claim,
	 * although its result comes later: what the method needs is bound to the thread that
	 * answers the exchange.
	 * @return whether the thread waits
	 */
	default boolean isAwaitedHere() {
		return false;
	}

	/**
	 * A call has claimed its key and is about to run: its response is to be captured. The
	 * claim is prolonged until the completion is told how that has gone, so it must be
	 * told whatever happens.
	 * @param completion to be told of the response, before it is sent
	 */
	void capture(Completion completion);

	/**
	 * Answers the exchange with the response to an earlier call; what else is written is
	 * not sent.
	 * @param response what was {@linkplain Recording.Stored stored}, possibly by another
	 * version of the application
	 * @return what the method returns in the place of its result
	 * @throws RuntimeException if the bytes cannot be read
	 */
	@Nullable Object replay(byte[] response);

	/**
	 * Ends the claim of one call.
	 */
	interface Completion {

		/**
		 * Returns whether the method has not ended yet.
		 * @return whether it still runs
		 */
		boolean isRunning();

		/**
		 * Returns whether the answer is to be kept whatever it says, because the method
		 * has ended with an exception that is a final outcome.
		 * @return whether it is final
		 */
		boolean isFinal();

		/**
		 * Returns what the method has failed with.
		 * @return the exception, or {@code null} if it has not failed
		 */
		@Nullable Throwable failure();

		/**
		 * The exchange has its response. Only the first answer ends the claim.
		 * @param response what the response means for the key
		 * @param failed whether it answers an exception, be it of the method or of what
		 * came after it
		 * @return completes when Redis has it, as far as it is there, with whether this
		 * has ended the claim
		 */
		CompletionStage<Boolean> answered(Recording response, boolean failed);

		/**
		 * The exchange has ended without a response of its own: what the method has
		 * returned or thrown decides; if it still runs, when it has ended.
		 * @return completes when Redis has it, as far as it is there, with whether this
		 * has ended the claim
		 */
		CompletionStage<Boolean> unanswered();

	}

}
