/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.time.Duration;

/**
 * Told of all that happens in a container, for the events and meters of the pattern. Must
 * not block.
 *
 * @param <T> the messages
 */
public interface ConsumerListener<T> {

	/**
	 * Called when a handler begins.
	 */
	default void onBegun(Delivery<T> delivery) {
	}

	/**
	 * Called when Redis has taken a settlement.
	 * @param settlement the settlement
	 * @param handling how long the handler took, zero if it was not called
	 */
	default void onSettled(Settlement<T> settlement, Duration handling) {
	}

	/**
	 * Called for a delivery that this instance has lost: somebody else has it now.
	 */
	default void onLost(Delivery<T> delivery) {
	}

	/**
	 * Called when settlements were sent together.
	 * @param size how many
	 */
	default void onBatch(int size) {
	}

}
