// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A change was not taken, because too many keys of the cache wait for their store. Keys
 * that wait already are never refused. Over HTTP a 503 with {@code Retry-After}.
 */
public class WriteBehindFullException extends GeRedisException {

	private final long waiting;

	public WriteBehindFullException(String cache, long waiting) {
		super("Cache '" + cache + "' takes no change of one more key: " + waiting
				+ " wait for the store in its partition. Find out why the store is slow, or raise"
				+ " ge.redis.cache.write-behind.max-pending", false);
		this.waiting = waiting;
	}

	public long waiting() {
		return this.waiting;
	}

	@Override
	public Refusal refusal() {
		return Refusal.temporary("Too many changes wait to be stored. Nothing was changed. Please try again.");
	}

}
