/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;

/**
 * How the shares of a lock stand in Redis.
 *
 * @param shared whether the lock is shared
 * @param holders how many shares there are
 * @param waiters how many callers wait
 * @param shares some of the shares, those that end first before others
 */
record ShareStanding(boolean shared, int holders, int waiters, List<Share> shares) {

	/**
	 * One share.
	 *
	 * @param kept whether its section is over and only its place stays taken
	 * @param holder the channel of the instance
	 * @param token its token, 0 if it is only kept
	 * @param remaining the rest of the lease
	 * @param age for how long the instance has had it
	 */
	record Share(boolean kept, String holder, long token, Duration remaining, Duration age) {

		/**
		 * Returns the id of the instance.
		 */
		String instance() {
			return this.holder.substring(this.holder.lastIndexOf(':') + 1);
		}

	}

}
