/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The removals that failed, in the order in which they are tried again.
 * <p>
 * While a part of Redis is unavailable, the entries of that part may be many, and asking
 * for each whether its server is back would cost a key each time. So an entry that was
 * found away is set aside, and not asked about again before Redis has come back
 * somewhere: until then nothing can have changed for it.
 */
final class CacheBacklog {

	private final Queue<CacheKey> next = new ConcurrentLinkedQueue<>();

	private final Queue<CacheKey> aside = new ConcurrentLinkedQueue<>();

	/** The keys in one of the queues. */
	private final Set<CacheKey> known = ConcurrentHashMap.newKeySet();

	private final AtomicLong recoveries = new AtomicLong();

	void add(CacheKey key) {
		if (this.known.add(key)) {
			this.next.add(key);
		}
	}

	boolean hasNext() {
		return !this.next.isEmpty();
	}

	/**
	 * Redis has come back somewhere. Cheap enough for any thread; {@link #resume()} does
	 * the rest.
	 */
	void recovered() {
		this.recoveries.incrementAndGet();
	}

	void resume() {
		for (CacheKey key = this.aside.poll(); key != null; key = this.aside.poll()) {
			this.next.add(key);
		}
	}

	/**
	 * Takes what can be tried now.
	 * @param over which of them need not be tried any more
	 */
	List<CacheKey> take(int most, int looks, Predicate<CacheKey> over, Predicate<CacheKey> away) {
		List<CacheKey> taken = new ArrayList<>();
		for (int looked = 0; looked < looks && taken.size() < most; looked++) {
			CacheKey key = poll(this.next);
			if (key == null) {
				break;
			}
			long seen = this.recoveries.get();
			if (!over.test(key)) {
				if (away.test(key)) {
					setAside(key, seen);
				}
				else {
					taken.add(key);
				}
			}
		}
		return taken;
	}

	/**
	 * Drops what need not be tried any more, looking at a few of the oldest.
	 */
	void drop(int looks, Predicate<CacheKey> over) {
		for (int looked = 0; looked < looks; looked++) {
			CacheKey waiting = poll(this.next);
			if (waiting != null && !over.test(waiting)) {
				add(waiting);
			}
			long seen = this.recoveries.get();
			CacheKey away = poll(this.aside);
			if (away != null && !over.test(away)) {
				setAside(away, seen);
			}
		}
	}

	/**
	 * Forgets the entry before anybody looks at it, since what fails from then on is not
	 * covered by that look.
	 */
	private @Nullable CacheKey poll(Queue<CacheKey> queue) {
		CacheKey key = queue.poll();
		if (key != null) {
			this.known.remove(key);
		}
		return key;
	}

	/**
	 * Redis may have come back while it was looked at: then nobody else will resume it.
	 */
	private void setAside(CacheKey key, long seen) {
		if (this.known.add(key)) {
			this.aside.add(key);
		}
		if (this.recoveries.get() != seen) {
			resume();
		}
	}

}
