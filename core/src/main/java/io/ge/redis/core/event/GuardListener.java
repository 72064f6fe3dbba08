// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

/**
 * Told of every event of every guard, on the thread on which it happened, which may be an
 * event loop of the driver: a listener must not block. What it throws is logged and
 * changes no decision.
 */
@FunctionalInterface
public interface GuardListener {

	/**
	 * Called for each event.
	 * @param event the event
	 */
	void onEvent(GuardEvent event);

}
