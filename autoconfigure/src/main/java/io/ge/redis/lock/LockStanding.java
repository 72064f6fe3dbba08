/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;

/**
 * How a lock stands in Redis.
 *
 * @param held whether an instance has it
 * @param kept whether its section is over and it only stays taken
 * @param holder the channel of the instance
 * @param handle by which the instance has it
 * @param token its first token, 0 if it is shared
 * @param remaining the rest of the lease
 * @param age for how long the instance has had it
 * @param waiters how many instances wait
 */
record LockStanding(boolean held, boolean kept, String holder, String handle, long token, Duration remaining,
		Duration age, int waiters) {

	/**
	 * Returns the id of the instance that has it.
	 */
	String instance() {
		return instance(this.holder);
	}

	/**
	 * Returns the id of the instance that has a channel.
	 */
	static String instance(String channel) {
		return channel.substring(channel.lastIndexOf(':') + 1);
	}

	/**
	 * Returns whether the lock is shared: who holds it is to be asked otherwise.
	 */
	boolean isShared() {
		return this.holder.equals(RedisShares.SHARED);
	}

	static LockStanding free(int waiters) {
		return new LockStanding(false, false, "", "", 0, Duration.ZERO, Duration.ZERO, waiters);
	}

}
