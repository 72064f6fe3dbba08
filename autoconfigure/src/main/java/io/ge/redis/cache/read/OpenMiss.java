/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * A value that was not there, from the question to its end: with the lease by which what
 * is loaded now can be stored, once. Several threads may come to it, as an asynchronous
 * loader does.
 */
public final class OpenMiss {

	private final CacheKey key;

	private final CacheType type;

	private final CacheLookup.Load load;

	private final long age;

	private final long stamp;

	private final AtomicBoolean spent = new AtomicBoolean();

	private final AtomicBoolean loaded = new AtomicBoolean();

	private final long found = System.nanoTime();

	private boolean awaited;

	private @Nullable NewValue value;

	/**
	 * Creates a miss.
	 * @param age of the loader's transaction now, in milliseconds, or -1 if it is in none
	 * @param stamp what a value is stamped with whose loading begins now
	 */
	public OpenMiss(CacheKey key, CacheType type, CacheLookup.Load load, long age, long stamp) {
		this.key = key;
		this.type = type;
		this.load = load;
		this.age = age;
		this.stamp = stamp;
	}

	public CacheKey key() {
		return this.key;
	}

	public CacheType type() {
		return this.type;
	}

	long age() {
		return this.age;
	}

	long stamp() {
		return this.stamp;
	}

	/**
	 * Returns whether it came with a lease.
	 */
	public boolean isGranted() {
		return this.load.permit() != null;
	}

	/**
	 * Returns whether there is a lease that was neither used nor given back, and whose
	 * time is not over.
	 */
	public boolean isLeased() {
		CacheLookup.Permit permit = this.load.permit();
		return permit != null && !this.spent.get() && System.nanoTime() - this.found < permit.lease().toNanos();
	}

	/**
	 * Takes the lease, to use it or to give it back.
	 * @return the lease, or {@code null} if there is none any more
	 */
	public CacheLookup.@Nullable Permit spend() {
		CacheLookup.Permit permit = this.load.permit();
		if (permit == null || !this.spent.compareAndSet(false, true)) {
			return null;
		}
		return permit;
	}

	/**
	 * Returns whether a transaction sees the database as it was before the one in which
	 * this was not found.
	 */
	public boolean isBehind(Snapshot snapshot) {
		long before = snapshot.ageMillis() - (System.nanoTime() - this.found) / 1_000_000;
		return snapshot.transactional() && before > Math.max(this.age, 0) + 1;
	}

	/**
	 * Keeps a value until a transaction has ended.
	 * @return whether nothing was kept until then before
	 */
	public boolean await(@Nullable NewValue newValue) {
		boolean first = !this.awaited;
		this.awaited = true;
		this.value = newValue;
		return first;
	}

	public @Nullable NewValue awaited() {
		return this.value;
	}

	long loadNanos() {
		return System.nanoTime() - this.found;
	}

	/**
	 * Returns whether nobody has told yet that the value was loaded.
	 */
	boolean isUnloaded() {
		return this.loaded.compareAndSet(false, true);
	}

}
