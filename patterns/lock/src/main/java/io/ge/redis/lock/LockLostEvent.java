// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import io.ge.redis.core.event.EventMeter;

/**
 * A holder has lost its lock while it was still at work. Published once for each handle.
 *
 * @param name the name of the lock
 * @param token the fencing token of the handle
 * @param cause the reason
 */
public record LockLostEvent(String name, long token, Cause cause) implements LockEvent {

	private static final EventMeter LOST = EventMeter
		.counter("ge.redis.lock.lost", "Locks lost while their holders were at work")
		.of("lock");

	@Override
	public String result() {
		return "lost";
	}

	@Override
	public EventMeter meter() {
		return LOST;
	}

	/**
	 * Reason of the loss.
	 */
	public enum Cause {

		/**
		 * The lease could not be extended in time: no other can have the lock yet, but
		 * soon may.
		 */
		EXPIRED,

		/**
		 * Redis has given the lock to another or has lost it, or an operator has released
		 * it.
		 */
		NOT_OWNER

	}

}
