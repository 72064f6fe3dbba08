// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import io.ge.redis.GeRedisException;

/**
 * A lock that the caller relies on is not held any more: it was lost, or released.
 */
public class LockLostException extends GeRedisException {

	private final String name;

	public LockLostException(String name) {
		super("The lock '" + name + "' is not held any more");
		this.name = name;
	}

	/**
	 * Returns the name of the lock.
	 */
	public String name() {
		return this.name;
	}

}
