/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

/**
 * Settles a batch, and single deliveries of it that are not to go the way of the others.
 *
 * @param <T> the messages
 */
public interface BatchAcknowledgment<T> extends Acknowledgment {

	/**
	 * Makes one of the batch a dead letter, such as one that cannot be read. Whatever
	 * becomes of the others is not for it.
	 */
	void reject(Delivery<T> delivery, Throwable failure);

}
