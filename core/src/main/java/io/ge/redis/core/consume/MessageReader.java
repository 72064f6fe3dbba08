/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.lang.reflect.Type;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of a source for a listener method. Called on the thread of the
 * listener, before it.
 *
 * @param <T> the messages
 */
public interface MessageReader<T> {

	/**
	 * Reads the payload.
	 * @param type the declared type of the payload
	 * @return the payload, {@code null} only if that was sent
	 * @throws NotRetryableException if it cannot be read as that type
	 */
	@Nullable Object payload(Delivery<T> delivery, Type type);

	/**
	 * Returns the message around a payload, of the type that a pattern shows its users.
	 * @param payload as read by {@link #payload}
	 */
	Object envelope(Delivery<T> delivery, @Nullable Object payload);

	default Map<String, String> headers(Delivery<T> delivery) {
		return Map.of();
	}

}
