// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.UncacheableValueException;
import io.ge.redis.cache.internal.engine.CacheFill;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.cache.internal.engine.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * A value that was not there, from the question to its end: with the lease by which what
 * is loaded now can be stored. Several threads may come to it, as an asynchronous loader
 * does.
 */
public final class OpenMiss {

	private final CacheReadParts parts;

	private final CacheKey key;

	private final CacheType type;

	private final CacheLookup.Load load;

	private final long age;

	private final long stamp;

	private final AtomicBoolean loaded = new AtomicBoolean();

	private final long found = System.nanoTime();

	private boolean awaited;

	private @Nullable NewValue value;

	/**
	 * Creates a miss.
	 * @param age of the loader's transaction now, in milliseconds, or -1 if it is in none
	 * @param stamp the stamp of a value whose loading begins now
	 */
	public OpenMiss(CacheReadParts parts, CacheKey key, CacheType type, CacheLookup.Load load, long age, long stamp) {
		this.parts = parts;
		this.key = key;
		this.type = type;
		this.load = load;
		this.age = age;
		this.stamp = stamp;
	}

	public CacheKey key() {
		return this.key;
	}

	public boolean isGranted() {
		return this.load.permit() != null;
	}

	/**
	 * Returns whether there is a lease whose time is not over. Callers that share it may
	 * all use it, and Redis takes the first value.
	 */
	public boolean isLeased() {
		CacheLookup.Permit permit = this.load.permit();
		return permit != null && System.nanoTime() - this.found < permit.lease().toNanos();
	}

	/**
	 * Returns when this was not found, by {@link System#nanoTime()}.
	 */
	public long found() {
		return this.found;
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

	/**
	 * Stores what was loaded, if the lease allows it still, or else releases the lease.
	 * @param certain whether the value is certainly no change of the database
	 * @return completes with the outcome, perhaps on a thread of the driver
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	public CompletableFuture<CacheFill> fill(@Nullable Object loadedValue, boolean certain) {
		boolean made = false;
		try {
			NewValue bytes = isGranted() ? bytes(loadedValue) : null;
			made = true;
			return store(bytes, certain);
		}
		finally {
			if (!made) {
				store(null, certain);
			}
		}
	}

	/**
	 * Makes what is stored of a value that was loaded.
	 * @return the value, or {@code null} if it is not to be stored
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	public @Nullable NewValue bytes(@Nullable Object loadedValue) {
		return this.parts.values()
			.loaded(this.key.cache(), this.type, loadedValue, CacheReadParts.millis(loadNanos()), this.stamp, null);
	}

	/**
	 * Stores what was made of a value, as {@link #fill}; releases the lease if that is
	 * not to be stored.
	 */
	public CompletableFuture<CacheFill> store(@Nullable NewValue bytes, boolean certain) {
		CacheLookup.Permit permit = this.load.permit();
		if (permit != null && bytes != null) {
			return this.parts.loads().fill(permit, bytes, certain, this.age, this.parts.loads().newBudget());
		}
		this.parts.loads().discard(permit);
		return CompletableFuture.completedFuture(CacheFill.LOST);
	}

	public void release() {
		this.parts.loads().release(this.load.permit(), false);
	}

	public void loaded() {
		if (this.loaded.compareAndSet(false, true)) {
			this.parts.events().publish(new CacheEvent.Load(this.key.cache(), true, loadNanos()));
			this.parts.values().loadedIn(this.key.cache(), CacheReadParts.millis(loadNanos()));
		}
	}

	private long loadNanos() {
		return System.nanoTime() - this.found;
	}

}
