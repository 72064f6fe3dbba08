// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

/**
 * Locks of several keys that are held together. It is valid while all of them are, and is
 * lost when one of them is.
 */
public interface MultiLockHandle extends LockHandle {

	/**
	 * Returns the fencing token of one key, to be compared by the resource of that key.
	 * @param key one of the keys
	 * @return the token
	 * @throws IllegalArgumentException if it is none of them
	 */
	long token(Object key);

	/**
	 * Returns the fencing token of the first key, in the order in which keys are locked.
	 * It orders the holders of that key, not the holders of the others.
	 * @return the token
	 */
	@Override
	long token();

}
