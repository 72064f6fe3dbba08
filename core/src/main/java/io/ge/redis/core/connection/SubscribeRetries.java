// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

/**
 * The times of new attempts to subscribe after a failure. An unavailable server is tried
 * four times a second. One that refuses the channels is tried at growing intervals, since
 * an operator has to grant a right first.
 */
final class SubscribeRetries {

	static final long SHORTEST_MILLIS = 250;

	static final long LONGEST_MILLIS = 8000;

	private final PushSubscriber subscriber;

	private volatile long refusedMillis = SHORTEST_MILLIS;

	SubscribeRetries(PushSubscriber subscriber) {
		this.subscriber = subscriber;
	}

	/**
	 * Notes that a subscription has failed.
	 * @return the wait in milliseconds
	 */
	long afterFailure(Throwable failure) {
		if (!ReplyErrors.isNoPermission(failure)) {
			return SHORTEST_MILLIS;
		}
		this.subscriber.onRefused(failure);
		long delay = this.refusedMillis;
		this.refusedMillis = Math.min(2 * delay, LONGEST_MILLIS);
		return delay;
	}

	void subscribed() {
		this.refusedMillis = SHORTEST_MILLIS;
	}

}
