// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.engine.CacheKey;
import org.jspecify.annotations.Nullable;

/**
 * The misses of Spring's caches until a value is put. Lookup and put have only the key in
 * common, so a miss belongs to the thread that has asked; or, where it has asked for a
 * future, to the very object that was the key. It is remembered for longer than its
 * lease: a value that is put later must not be taken for a change of the database.
 */
public final class OpenMisses {

	/** More than that are not remembered. */
	static final int MOST = 10_000;

	private static final long MEMORY = TimeUnit.MINUTES.toNanos(10);

	private final Lock lock = new ReentrantLock();

	private final Map<Id, OpenMiss> all = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Id, OpenMiss> eldest) {
			return size() > MOST || System.nanoTime() - eldest.getValue().found() > MEMORY;
		}

	};

	/**
	 * Adds a miss of the current thread. What it has asked for before counts for as long
	 * as that lease may hold: it may put what it has loaded since then.
	 */
	void addOfThread(Object key, OpenMiss miss) {
		locked(() -> {
			Id id = new Id(Thread.currentThread(), miss.key());
			OpenMiss before = this.all.get(id);
			return (before == null || !before.isLeased()) ? put(id, key, miss) : before;
		});
	}

	/**
	 * Adds a miss of the caller that puts with the same object as key. There is one for
	 * all callers with that key.
	 */
	void addOfKey(Object key, OpenMiss miss) {
		locked(() -> {
			Id id = new Id(key, miss.key());
			OpenMiss before = this.all.get(id);
			int callers = (before != null) ? before.callers : 0;
			OpenMiss counted = (before == null || !before.isLeased()) ? put(id, key, miss) : before;
			counted.callers = callers + 1;
			return counted;
		});
	}

	private OpenMiss put(Id id, Object key, OpenMiss miss) {
		miss.owner = id.owner;
		miss.askedWith = key;
		miss.callers = 1;
		this.all.remove(id);
		this.all.put(id, miss);
		return miss;
	}

	private <T> @Nullable T locked(Supplier<? extends @Nullable T> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Returns the miss after which a value is put on the current thread.
	 */
	public @Nullable OpenMiss find(CacheKey entry, Object key) {
		return locked(() -> {
			OpenMiss own = this.all.get(new Id(Thread.currentThread(), entry));
			return (own != null && (own.askedWith == key || own.isLeased())) ? own : this.all.get(new Id(key, entry));
		});
	}

	void remove(OpenMiss miss) {
		locked(() -> --miss.callers == 0
				&& this.all.remove(new Id(Objects.requireNonNull(miss.owner), miss.key()), miss));
	}

	/**
	 * Forgets what the current thread has missed of an entry, or of a cache as a whole.
	 */
	void forget(CacheKey target) {
		Thread current = Thread.currentThread();
		locked(() -> target.isWhole()
				? this.all.keySet().removeIf((id) -> id.owner == current && target.covers(id.entry))
				: this.all.remove(new Id(current, target)) != null);
	}

	public int size() {
		return Objects.requireNonNull(locked(this.all::size));
	}

	/**
	 * The owner of a miss, by identity, and its entry.
	 */
	private record Id(Object owner, CacheKey entry) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Id id && this.owner == id.owner && this.entry.equals(id.entry);
		}

		@Override
		public int hashCode() {
			return this.entry.hashCode();
		}

	}

}
