// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;

import io.ge.redis.core.batch.BatchQueue;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;

/**
 * The key of a limit: whom it limits, and the key of its state in Redis.
 */
final class RedisLimitKey {

	private final int hash;

	private final String name;

	private final RateLimitAlgorithm algorithm;

	private final List<String> parts;

	private final RedisKey key;

	private final String text;

	private final BatchQueue<List<PermitRequest>, RedisDecision> queue = new BatchQueue<>();

	RedisLimitKey(int hash, RateLimit limit, List<String> parts, RedisKey key) {
		this.hash = hash;
		this.name = limit.name();
		this.algorithm = limit.algorithm();
		this.parts = parts;
		this.key = key;
		this.text = key.toString();
	}

	boolean isOf(int hash, RateLimit limit, List<String> parts) {
		return this.hash == hash && this.algorithm == limit.algorithm() && this.name.equals(limit.name())
				&& hasParts(parts);
	}

	// List.equals would iterate, with each call
	private boolean hasParts(List<String> others) {
		boolean equal = others.size() == this.parts.size();
		for (int i = 0; equal && i < others.size(); i++) {
			equal = others.get(i).equals(this.parts.get(i));
		}
		return equal;
	}

	/**
	 * Returns the parts of the key; none for all callers together.
	 */
	public List<String> parts() {
		return this.parts;
	}

	RedisKey redisKey() {
		return this.key;
	}

	/**
	 * Returns the key as messages about it name it. It has the same hash code as this
	 * key.
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Returns the queue of the calls that could share a script. Another object for the
	 * same key has a queue of its own, so that fewer share one.
	 */
	BatchQueue<List<PermitRequest>, RedisDecision> queue() {
		return this.queue;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof RedisLimitKey limitKey && this.text.equals(limitKey.text);
	}

	@Override
	public int hashCode() {
		return this.text.hashCode();
	}

	@Override
	public String toString() {
		return text();
	}

}
