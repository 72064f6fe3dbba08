// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A distributed lock, whoever implements it.
 */
public interface LockPort {

	/**
	 * Takes a lock.
	 * @param key what is locked
	 * @param wait the longest wait, zero to ask once
	 * @param lease how long it stays with an instance that died
	 * @return the lock, released on the same thread; {@code null} if it is taken
	 * @throws Exception if Redis does not answer
	 */
	@Nullable Held acquire(String key, Duration wait, Duration lease) throws Exception;

	/**
	 * A lock that is held.
	 */
	interface Held {

		/**
		 * The fencing token.
		 * @return the token, 0 if there is none
		 */
		long token();

		/**
		 * What the implementation tells a holder who asks whether it still is one.
		 * @return whether it is; {@code true} where nobody can be asked
		 */
		boolean isValid();

		/**
		 * Gives the lock back.
		 * @throws Exception if that fails
		 */
		void release() throws Exception;

	}

}
