// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.ratelimit.RateLimitDecision;

/**
 * The keys that are denied most often on this instance, {@value #CAPACITY} of all limits
 * together, whatever the number of keys that an attacker makes up. The counts are
 * approximate.
 * <p>
 * Randomized Space-Saving: a new key replaces the one with the fewest denials with a
 * chance of one in that count, and inherits the count. So a flood of keys that are denied
 * once each replaces none that is denied often. No caller waits for a lock.
 */
final class MostDenied {

	static final int CAPACITY = 100;

	private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();

	private final Lock lock = new ReentrantLock();

	/** The latest count of the least of them, zero while there is room. */
	private volatile long least;

	void add(List<PermitRequest> requests, RateLimitDecision.Denied refusal) {
		for (PermitRequest request : requests) {
			String limit = request.limit().name();
			if (!request.key().parts().isEmpty() && request.cost() > 0 && refusal.violated().contains(limit)) {
				add(limit, request.key().parts());
			}
		}
	}

	private void add(String limit, List<String> key) {
		Key denied = new Key(limit, key);
		LongAdder count = this.counts.get(denied);
		if (count != null) {
			count.increment();
		}
		else if (ThreadLocalRandom.current().nextLong(this.least + 1) == 0 && this.lock.tryLock()) {
			try {
				admit(denied);
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	private void admit(Key key) {
		LongAdder count = new LongAdder();
		if (this.counts.size() >= CAPACITY && !this.counts.containsKey(key)) {
			List<Denied> all = list();
			Denied weakest = all.get(all.size() - 1);
			this.counts.remove(new Key(weakest.limit(), weakest.key()));
			count.add(weakest.denials());
		}
		this.counts.computeIfAbsent(new Key(key.limit(), List.copyOf(key.key())), (same) -> count).increment();
		noteLeast();
	}

	private void noteLeast() {
		this.least = (this.counts.size() < CAPACITY) ? 0
				: this.counts.values().stream().mapToLong(LongAdder::sum).min().orElse(0);
	}

	List<Denied> list() {
		return this.counts.entrySet()
			.stream()
			.map((entry) -> new Denied(entry.getKey().limit(), entry.getKey().key(), entry.getValue().sum()))
			.sorted(Comparator.comparingLong(Denied::denials).reversed())
			.toList();
	}

	/**
	 * Halves the counts, so that the list follows recent denials: called every 20
	 * minutes.
	 */
	void age() {
		this.lock.lock();
		try {
			this.counts.values().forEach((count) -> count.add(-(count.sum() + 1) / 2));
			this.counts.values().removeIf((count) -> count.sum() <= 0);
			noteLeast();
		}
		finally {
			this.lock.unlock();
		}
	}

	private record Key(String limit, List<String> key) {
	}

	/**
	 * A key and the number of its denials, which is halved every 20 minutes. It is at
	 * most too large by the count of the replaced key.
	 */
	record Denied(String limit, List<String> key, long denials) {
	}

}
