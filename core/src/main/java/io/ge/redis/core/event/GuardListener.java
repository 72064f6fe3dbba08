// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

/**
 * Notified of every event of every guard, on the thread on which it happened. That may be
 * an event loop of the driver: a listener must not block. Its exceptions are logged and
 * change no decision.
 */
@FunctionalInterface
public interface GuardListener {

	/**
	 * Called for each event.
	 * @param event the event
	 */
	void onEvent(GuardEvent event);

}
