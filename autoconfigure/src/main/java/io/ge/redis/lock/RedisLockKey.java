/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;

import io.ge.redis.core.key.RedisKey;

/**
 * The keys of one lock, all in one slot; equal if they are those of the same lock.
 *
 * @param lock who holds it
 * @param all the keys, in the order that the scripts state
 */
record RedisLockKey(RedisKey lock, List<RedisKey> all) {

	@Override
	public boolean equals(Object other) {
		return other instanceof RedisLockKey key && this.lock.equals(key.lock);
	}

	@Override
	public int hashCode() {
		return this.lock.hashCode();
	}

}
