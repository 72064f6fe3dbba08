// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.ge.redis.Acknowledgment;
import io.ge.redis.NotRetryableException;
import org.jspecify.annotations.Nullable;

/**
 * The work itself. Called on a thread of the container's executor, which may block.
 *
 * @param <T> the messages
 */
@FunctionalInterface
public interface WorkHandler<T> {

	/**
	 * Does the work of a batch.
	 * @param batch the deliveries, one unless the container has a batch size
	 * @param acknowledgment settles the batch by hand; deliveries that it has settled
	 * stay as they are
	 * @return completes when the work is done, with the result or {@code null}. A
	 * failure, also one that is thrown, means a retry of the whole batch, or a dead
	 * letter if it is a {@link NotRetryableException}
	 * @throws Exception as a failure of the stage
	 */
	CompletionStage<? extends @Nullable Object> handle(List<Delivery<T>> batch, BatchAcknowledgment<T> acknowledgment)
			throws Exception;

	/**
	 * Settles a batch, and single deliveries of it that are not to go the way of the
	 * others.
	 *
	 * @param <T> the messages
	 */
	interface BatchAcknowledgment<T> extends Acknowledgment {

		/**
		 * Makes one of the batch a dead letter, such as one that cannot be read. The
		 * outcome of the others does not apply to it.
		 */
		void reject(Delivery<T> delivery, Throwable failure);

	}

}
