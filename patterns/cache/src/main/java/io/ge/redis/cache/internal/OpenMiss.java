// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.UncacheableValueException;
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
final class OpenMiss {

	private final CacheReader reader;

	private final CacheKey key;

	private final CacheType type;

	private final CacheLookup.Load load;

	private final long age;

	private final long stamp;

	private final AtomicBoolean loaded = new AtomicBoolean();

	private final long found = System.nanoTime();

	/** The thread or the key that it belongs to. */
	@Nullable Object owner;

	/** The key that it was asked for with. */
	@Nullable Object askedWith;

	/** The callers that may put a value. */
	int callers;

	private boolean awaited;

	private @Nullable NewValue value;

	/**
	 * Creates a miss.
	 * @param age of the loader's transaction now, in milliseconds, or -1 if it is in none
	 * @param stamp the stamp of a value whose loading begins now
	 */
	OpenMiss(CacheReader reader, CacheKey key, CacheType type, CacheLookup.Load load, long age, long stamp) {
		this.reader = reader;
		this.key = key;
		this.type = type;
		this.load = load;
		this.age = age;
		this.stamp = stamp;
	}

	CacheKey key() {
		return this.key;
	}

	boolean isGranted() {
		return this.load.permit() != null;
	}

	/**
	 * Returns whether there is a lease whose time is not over. Callers that share it may
	 * all use it, and Redis takes the first value.
	 */
	boolean isLeased() {
		CacheLookup.Permit permit = this.load.permit();
		return permit != null && System.nanoTime() - this.found < permit.lease().toNanos();
	}

	/**
	 * Returns when this was not found, by {@link System#nanoTime()}.
	 */
	long found() {
		return this.found;
	}

	boolean isOfCurrentThread() {
		return this.owner == Thread.currentThread();
	}

	/**
	 * Returns whether a transaction sees the database as it was before the one in which
	 * this was not found.
	 */
	boolean isBehind(Snapshot snapshot) {
		long before = snapshot.ageMillis() - (System.nanoTime() - this.found) / 1_000_000;
		return snapshot.transactional() && before > Math.max(this.age, 0) + 1;
	}

	/**
	 * Keeps a value until a transaction has ended.
	 * @return whether nothing was kept until then before
	 */
	boolean await(@Nullable NewValue newValue) {
		boolean first = !this.awaited;
		this.awaited = true;
		this.value = newValue;
		return first;
	}

	@Nullable NewValue awaited() {
		return this.value;
	}

	/**
	 * Stores what was loaded, if the lease allows it still, or else releases the lease.
	 * @param certain whether the value is certainly no change of the database
	 * @return completes with the outcome, perhaps on a thread of the driver
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	CompletableFuture<CacheFill> fill(@Nullable Object loadedValue, boolean certain) {
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
	@Nullable NewValue bytes(@Nullable Object loadedValue) {
		return this.reader.values()
			.loaded(this.key.cache(), this.type, loadedValue, CacheReader.millis(loadNanos()), this.stamp, null);
	}

	/**
	 * Stores what was made of a value, as {@link #fill}; releases the lease if that is
	 * not to be stored.
	 */
	CompletableFuture<CacheFill> store(@Nullable NewValue bytes, boolean certain) {
		CacheLookup.Permit permit = this.load.permit();
		if (permit != null && bytes != null) {
			return this.reader.loads().fill(permit, bytes, certain, this.age, this.reader.loads().newBudget());
		}
		this.reader.loads().discard(permit);
		return CompletableFuture.completedFuture(CacheFill.LOST);
	}

	void release() {
		this.reader.loads().release(this.load.permit(), false);
	}

	void loaded() {
		if (this.loaded.compareAndSet(false, true)) {
			this.reader.events().publish(new CacheEvent.Load(this.key.cache(), true, loadNanos()));
			this.reader.values().loadedIn(this.key.cache(), CacheReader.millis(loadNanos()));
		}
	}

	private long loadNanos() {
		return System.nanoTime() - this.found;
	}

}
