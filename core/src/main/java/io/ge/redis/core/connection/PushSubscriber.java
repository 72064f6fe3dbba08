// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

/**
 * Receives messages of a {@link PushSubscription}. Called on a thread of the driver; must
 * not block.
 */
public interface PushSubscriber {

	void onMessage(byte[] channel, byte[] message);

	/**
	 * Called when all channels are subscribed, the first time and after each
	 * interruption. Messages sent in between are lost.
	 */
	void onSubscribed();

	void onLost();

	/**
	 * Called when the server refuses to subscribe the channels, each time.
	 */
	default void onRefused(Throwable failure) {
	}

}
