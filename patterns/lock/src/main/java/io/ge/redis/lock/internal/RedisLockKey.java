// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.RedisKey;

/**
 * The keys of one lock, all in one slot; equal for the same lock.
 *
 * @param all the keys, in the order that the scripts state
 */
record RedisLockKey(RedisKey lock, List<RedisKey> all) implements Comparable<RedisLockKey> {

	private static final int SHOWN_BYTES = 6;

	/**
	 * Gives all instances the same order, in which several locks are taken.
	 */
	@Override
	public int compareTo(RedisLockKey other) {
		return Arrays.compareUnsigned(this.lock.bytes(), other.lock.bytes());
	}

	RedisKey lastToken() {
		return this.all.get(1);
	}

	RedisKey queue() {
		return this.all.get(2);
	}

	String text() {
		return this.lock.toString();
	}

	/**
	 * Returns a hash that distinguishes keys without showing them.
	 */
	public String hash() {
		return HexFormat.of().formatHex(Sha256.of(this.lock.bytes()), 0, SHOWN_BYTES);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof RedisLockKey key && this.lock.equals(key.lock);
	}

	@Override
	public int hashCode() {
		return this.lock.hashCode();
	}

}
