// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.access.OpenMiss;
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

	private final Map<Id, Open> all = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Id, Open> eldest) {
			return size() > MOST || System.nanoTime() - eldest.getValue().since > MEMORY;
		}

	};

	/**
	 * Adds a miss of the current thread. What it has asked for before counts for as long
	 * as that lease may hold: it may put what it has loaded since then.
	 */
	void addOfThread(Object key, OpenMiss miss) {
		add(new Id(Thread.currentThread(), miss.key()), key, miss, false);
	}

	/**
	 * Adds a miss of the caller that puts with the same object as key.
	 */
	void addOfKey(Object key, OpenMiss miss) {
		add(new Id(key, miss.key()), key, miss, true);
	}

	private void add(Id id, Object key, OpenMiss miss, boolean shared) {
		locked(() -> {
			Open before = this.all.get(id);
			if (before == null || !before.miss.isLeased()) {
				Open added = new Open(id, key, miss);
				this.all.remove(id);
				this.all.put(id, added);
				added.asked = (before != null && shared) ? before.asked + 1 : 1;
			}
			else if (shared) {
				before.asked++;
			}
			return null;
		});
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
	public @Nullable Open find(CacheKey entry, Object key) {
		return locked(() -> {
			Open own = this.all.get(new Id(Thread.currentThread(), entry));
			return (own != null && (own.key == key || own.miss.isLeased())) ? own : this.all.get(new Id(key, entry));
		});
	}

	void remove(Open open) {
		locked(() -> --open.asked == 0 && this.all.remove(open.id, open));
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

	static final class Open {

		private final Id id;

		private final Object key;

		private final OpenMiss miss;

		private final long since = System.nanoTime();

		private int asked;

		Open(Id id, Object key, OpenMiss miss) {
			this.id = id;
			this.key = key;
			this.miss = miss;
		}

		OpenMiss miss() {
			return this.miss;
		}

		/**
		 * Returns whether a value is put with the very object that was asked with.
		 */
		boolean isOf(Object other) {
			return this.key == other;
		}

		boolean isOfCurrentThread() {
			return this.id.owner == Thread.currentThread();
		}

	}

	private static final class Id {

		private final Object owner;

		private final CacheKey entry;

		Id(Object owner, CacheKey entry) {
			this.owner = owner;
			this.entry = entry;
		}

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
