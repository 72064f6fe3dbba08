/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The keys that are denied most often on this instance, {@value #CAPACITY} of all limits
 * together, whatever the number of keys that an attacker makes up.
 * <p>
 * Space-Saving: a key that is not among them takes the place of the one with the fewest
 * denials, and its count. As in the randomized variant it does so with the chance of one
 * in that count, so the more is known the less a stranger costs, and a flood of keys that
 * are denied once each drives out none that is denied often. A known key costs two
 * look-ups and one striped addition; a stranger costs one random number more, and only if
 * it wins a search among all under a lock, for which nobody waits. Nothing is allocated
 * for a hit.
 */
final class MostDenied {

	static final int CAPACITY = 100;

	private final Map<String, Map<List<String>, LongAdder>> limits = new ConcurrentHashMap<>();

	private final Lock lock = new ReentrantLock();

	private int size;

	/** The latest count of the least of them, zero while there is room. */
	private volatile long least;

	void add(String limit, List<String> key) {
		LongAdder denials = find(limit, key);
		if (denials != null) {
			denials.increment();
			return;
		}
		long toBeat = this.least;
		if ((toBeat == 0 || ThreadLocalRandom.current().nextLong(toBeat + 1) == 0) && this.lock.tryLock()) {
			try {
				admit(limit, key);
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	private @Nullable LongAdder find(String limit, List<String> key) {
		Map<List<String>, LongAdder> keys = this.limits.get(limit);
		return (keys != null) ? keys.get(key) : null;
	}

	private void admit(String limit, List<String> key) {
		LongAdder denials = find(limit, key);
		if (denials == null) {
			denials = new LongAdder();
			if (this.size < CAPACITY) {
				this.size++;
			}
			else {
				Denied weakest = weakest();
				remove(weakest);
				denials.add(weakest.denials());
			}
			this.limits.computeIfAbsent(limit, (name) -> new ConcurrentHashMap<>()).put(List.copyOf(key), denials);
		}
		denials.increment();
		this.least = (this.size < CAPACITY) ? 0 : weakest().denials();
	}

	private void remove(Denied denied) {
		Map<List<String>, LongAdder> keys = this.limits.get(denied.limit());
		if (keys != null) {
			keys.remove(denied.key());
		}
	}

	private Denied weakest() {
		Denied weakest = null;
		for (Map.Entry<String, Map<List<String>, LongAdder>> limit : this.limits.entrySet()) {
			for (Map.Entry<List<String>, LongAdder> key : limit.getValue().entrySet()) {
				long denials = key.getValue().sum();
				if (weakest == null || denials < weakest.denials()) {
					weakest = new Denied(limit.getKey(), key.getKey(), denials);
				}
			}
		}
		if (weakest == null) {
			throw new IllegalStateException("Asked for the weakest of none");
		}
		return weakest;
	}

	/**
	 * Returns the keys, the most denied first.
	 */
	List<Denied> list() {
		List<Denied> all = new ArrayList<>();
		this.limits
			.forEach((limit, keys) -> keys.forEach((key, denials) -> all.add(new Denied(limit, key, denials.sum()))));
		all.sort(Comparator.comparingLong(Denied::denials).reversed());
		return all;
	}

	/**
	 * Halves all counts, so that the list follows what happens lately.
	 */
	void age() {
		this.lock.lock();
		try {
			for (Map<List<String>, LongAdder> keys : this.limits.values()) {
				keys.values().forEach((denials) -> denials.add(-(denials.sum() + 1) / 2));
				keys.values().removeIf((denials) -> denials.sum() <= 0);
			}
			this.size = this.limits.values().stream().mapToInt(Map::size).sum();
			this.least = (this.size < CAPACITY) ? 0 : weakest().denials();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A key and how often it was denied.
	 *
	 * @param limit the name of the limit
	 * @param key the parts of the key
	 * @param denials the number, halved every now and then; at most too large by what the
	 * key had whose place it took
	 */
	record Denied(String limit, List<String> key, long denials) {
	}

}
