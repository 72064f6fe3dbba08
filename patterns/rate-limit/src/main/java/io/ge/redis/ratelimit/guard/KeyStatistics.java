/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.engine.PermitRequest;

/**
 * Statistics of this instance about the keys that were decided on: how many there are,
 * and which are denied most often. Bounded, free of locks and of garbage for each
 * decision.
 */
public final class KeyStatistics {

	/** Names made up in code must not fill the memory. */
	private static final int MOST_LIMITS = 1_000;

	private final Map<String, DistinctKeys> distinct = new ConcurrentHashMap<>();

	private final MostDenied denied = new MostDenied();

	/** Unknown outside, so that nobody can make up keys that look like one. */
	private final long seed;

	private final long multiplier;

	public KeyStatistics() {
		this(new SplittableRandom());
	}

	KeyStatistics(SplittableRandom random) {
		this.seed = random.nextLong();
		this.multiplier = random.nextLong() | 1;
	}

	void record(List<PermitRequest> requests, RateLimitDecision decision) {
		RateLimitDecision.Denied refusal = (decision instanceof RateLimitDecision.Denied denied) ? denied : null;
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			if (request.key().isEmpty() || request.cost() == 0) {
				continue;
			}
			String name = request.limit().name();
			DistinctKeys keys = this.distinct.get(name);
			if (keys == null) {
				keys = begin(name);
			}
			keys.add(hash(request.key()));
			if (refusal != null && refusal.violated().contains(name)) {
				this.denied.add(name, request.key());
			}
		}
	}

	private DistinctKeys begin(String name) {
		return (this.distinct.size() < MOST_LIMITS) ? this.distinct.computeIfAbsent(name, (same) -> new DistinctKeys())
				: new DistinctKeys();
	}

	private long hash(List<String> key) {
		long hash = this.seed;
		for (int i = 0; i < key.size(); i++) {
			String part = key.get(i);
			int length = part.length();
			int j = 0;
			for (; j + 3 < length; j += 4) {
				hash = step(hash, (long) part.charAt(j) << 48 | (long) part.charAt(j + 1) << 32
						| (long) part.charAt(j + 2) << 16 | part.charAt(j + 3));
			}
			for (; j < length; j++) {
				hash = step(hash, part.charAt(j));
			}
			hash = step(hash, length);
		}
		// Every bit of the result depends on every bit so far
		hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
		return hash ^ (hash >>> 33);
	}

	private long step(long hash, long text) {
		long mixed = (hash ^ text) * this.multiplier;
		return mixed ^ (mixed >>> 32);
	}

	long distinctKeys(String name) {
		DistinctKeys keys = this.distinct.get(name);
		return (keys != null) ? keys.estimate() : 0;
	}

	List<MostDenied.Denied> mostDenied() {
		return this.denied.list();
	}

	/**
	 * Lets the past fade: called every 20 minutes.
	 */
	void age() {
		this.distinct.values().forEach(DistinctKeys::rotate);
		this.denied.age();
	}

}
