// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

/**
 * Modes of sharing a lock.
 */
public enum LockMode {

	/**
	 * One at a time, or as many as there are permits.
	 */
	EXCLUSIVE,

	/**
	 * Any number of holders together, and no writer meanwhile. Readers that ask after a
	 * waiting writer wait behind it.
	 */
	READ,

	/**
	 * Exclusive: no other call reads or writes meanwhile. Waits for earlier callers, and
	 * not for readers that come later.
	 */
	WRITE

}
