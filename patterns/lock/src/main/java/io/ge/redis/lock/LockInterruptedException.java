// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import io.ge.redis.GeRedisException;

/**
 * The thread was interrupted while it waited for a lock. The lock is not held, the
 * guarded method has not run, and the thread's interrupt status is set.
 */
public class LockInterruptedException extends GeRedisException {

	private final String name;

	public LockInterruptedException(String name, InterruptedException cause) {
		super("Interrupted while waiting for the lock '" + name + "'", cause);
		this.name = name;
	}

	/**
	 * Returns the name of the lock.
	 */
	public String name() {
		return this.name;
	}

}
