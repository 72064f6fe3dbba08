// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The end of a delivery, on its way to Redis.
 *
 * @param delivery the delivery
 * @param outcome the fate of its message
 * @param result the result of the handler, or {@code null} if it has none
 * @param failure why it is not done, or {@code null} if it is
 * @param leased whether the lease still keeps the message from other instances
 * @param <T> the messages of the source
 */
public record Settlement<T>(Delivery<T> delivery, Outcome outcome, @Nullable Object result, @Nullable Throwable failure,
		BooleanSupplier leased) {

	public Settlement(Delivery<T> delivery, Outcome outcome, @Nullable Object result, @Nullable Throwable failure) {
		this(delivery, outcome, result, failure, () -> false);
	}

	/**
	 * The fate of a message.
	 */
	public enum Outcome {

		/** The work is done: the message is removed. */
		DONE,
		/**
		 * To be delivered again after a pause; a dead letter if it was the last attempt.
		 */
		RETRY,
		/** Never to be delivered again: a dead letter. */
		REJECT,
		/** Not begun: free for others at once, and the delivery does not count. */
		RELEASE

	}

}
