/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;

import io.ge.redis.core.key.RedisKey;

/**
 * The keys of one lock, all in one slot.
 *
 * @param lock who holds it
 * @param all the keys, in the order that the scripts state
 */
record RedisLockKey(RedisKey lock, List<RedisKey> all) {

	String text() {
		return this.lock.toString();
	}

	boolean isSameLock(RedisLockKey other) {
		return this.lock.equals(other.lock);
	}

}
