/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The misses of code on the current thread, until it puts a value. By the lease the value
 * is stored. A value that is put after its lease has ended must not be taken for a change
 * of the database either; so a miss is remembered for longer than its lease.
 */
final class OpenMisses {

	/** More than that a thread does not leave behind. */
	static final int MOST = 256;

	private static final long MEMORY = Duration.ofMinutes(10).toNanos();

	private final ThreadLocal<@Nullable Own> own = new ThreadLocal<>();

	/**
	 * Remembers a miss.
	 * @return those that are forgotten for it, whose leases are to be given back
	 */
	List<SplitMiss> add(SplitMiss miss) {
		Own current = this.own.get();
		if (current == null) {
			current = new Own();
			this.own.set(current);
		}
		current.dropOld();
		List<SplitMiss> forgotten = new ArrayList<>(1);
		Open before = current.misses.remove(miss.key());
		if (before != null) {
			forgotten.add(before.miss());
		}
		current.misses.put(miss.key(), new Open(miss, System.nanoTime()));
		if (current.misses.size() > MOST) {
			Iterator<Open> eldest = current.misses.values().iterator();
			forgotten.add(eldest.next().miss());
			eldest.remove();
			current.forget();
		}
		return forgotten;
	}

	/**
	 * Returns the miss of an entry.
	 */
	@Nullable SplitMiss find(CacheKey key) {
		Own current = this.own.get();
		Open open = (current != null) ? current.misses.get(key) : null;
		return (open != null) ? open.miss() : null;
	}

	/**
	 * Forgets the miss of an entry, for which a value was put.
	 */
	void remove(SplitMiss miss) {
		Own current = this.own.get();
		if (current == null) {
			return;
		}
		current.misses.values().removeIf((open) -> open.miss() == miss);
		if (current.misses.isEmpty() && !current.isForgetful()) {
			this.own.remove();
		}
	}

	/**
	 * Returns whether the current thread has a lease of an entry.
	 */
	boolean isLeased(CacheKey key) {
		Own current = this.own.get();
		Open open = (current != null) ? current.misses.get(key) : null;
		return open != null && open.miss().isLeased();
	}

	/**
	 * Returns whether misses were forgotten before values were put, so that any value may
	 * be one of theirs.
	 */
	boolean isForgetful() {
		Own current = this.own.get();
		return current != null && current.isForgetful();
	}

	int size() {
		Own current = this.own.get();
		return (current != null) ? current.misses.size() : 0;
	}

	/**
	 * The misses of one thread, oldest first.
	 */
	private static final class Own {

		private final Map<CacheKey, Open> misses = new LinkedHashMap<>();

		private boolean forgetful;

		private long forgottenAt;

		void dropOld() {
			long now = System.nanoTime();
			if (this.misses.values().removeIf((open) -> !open.miss().isLeased() && now - open.since() > MEMORY)) {
				forget();
			}
		}

		void forget() {
			this.forgetful = true;
			this.forgottenAt = System.nanoTime();
		}

		boolean isForgetful() {
			return this.forgetful && System.nanoTime() - this.forgottenAt <= MEMORY;
		}

	}

	private record Open(SplitMiss miss, long since) {
	}

}
