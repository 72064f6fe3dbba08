// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import org.jspecify.annotations.Nullable;

/**
 * A message that would fail at each repetition, such as an unreadable one. Thrown by a
 * listener or below it: the message becomes a dead letter at once.
 */
public class NotRetryableException extends GeRedisException {

	public NotRetryableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
