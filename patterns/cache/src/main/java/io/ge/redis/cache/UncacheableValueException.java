// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.GeRedisException;

/**
 * A loaded value can never be cached: a mistake in the application, which every miss
 * would hide. Writers get no exception, since their change is made. The entry is removed,
 * and a warning says why.
 */
public class UncacheableValueException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param message the problem and the remedy, without the value
	 * @param cause the cause
	 */
	public UncacheableValueException(String message, Throwable cause) {
		super(message, cause);
	}

}
