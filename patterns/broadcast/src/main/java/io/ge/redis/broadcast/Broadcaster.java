// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.broadcast;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.Waiting;

/**
 * Publishes to all instances, over the channels that are configured below
 * {@code ge.redis.broadcast.channels}.
 * <p>
 * Redis: one script call. After {@link io.ge.redis.RedisUnavailableException} the message
 * may have been published; if it is repeated, listeners may get it twice.
 */
public interface Broadcaster {

	/**
	 * Publishes a message.
	 * @param message the payload, written as JSON
	 * @return completes with the number of the message in its channel, 0 for an ephemeral
	 * one
	 * @throws io.ge.redis.core.invocation.NotConfiguredException if the channel is not
	 * configured
	 */
	CompletableFuture<Long> publishAsync(String channel, Object message);

	/**
	 * Publishes a message as {@link #publishAsync}, and waits until Redis has it.
	 */
	default long publish(String channel, Object message) {
		return Waiting.await(publishAsync(channel, message));
	}

	/**
	 * Returns a broadcaster that reaches no instance, for where broadcasts are switched
	 * off.
	 */
	static Broadcaster unguarded() {
		return (channel, message) -> CompletableFuture.completedFuture(0L);
	}

}
