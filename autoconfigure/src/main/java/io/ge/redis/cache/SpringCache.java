/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A cache in the eyes of Spring, used in code: the entries and guarantees are those of
 * {@link CacheAside}, {@link CacheWriteThrough} and {@link GeCaches} with the same name
 * and key.
 * <p>
 * A {@code get} that finds nothing gives the current thread leave to store what it puts
 * next under that key, for {@code lease-time} and unless the entry is written meanwhile;
 * in a transaction that may write it is stored after the commit. Any other {@code put} is
 * taken for a change of the database, as {@link GeCaches#put}; outside of a transaction,
 * and in one that only reads, it removes the entry. Load the value after the {@code get}
 * that has found nothing, or leave both to {@link #get(Object, Callable)}.
 */
public final class SpringCache extends SpringCacheBase {

	SpringCache(String name, Supplier<SpringCacheParts> parts) {
		super(name, parts, new SpringCacheCounts());
	}

	/**
	 * Returns the cache as one operation of one call of a method sees it.
	 */
	SpringCacheView within(SpringInvocation invocation, SpringOperation operation) {
		return new SpringCacheView(this, this::parts, counts(), invocation, operation);
	}

	/**
	 * Returns how many values were found by calls through Spring on this instance.
	 * @return the number since it started
	 */
	public long hits() {
		return counts().hits.sum();
	}

	/**
	 * Returns how many values were not found by calls through Spring on this instance.
	 * @return the number since it started
	 */
	public long misses() {
		return counts().misses.sum();
	}

	/**
	 * Returns how many values were put by calls through Spring on this instance.
	 * @return the number since it started
	 */
	public long puts() {
		return counts().puts.sum();
	}

	/**
	 * Returns how often entries, or all of them, were removed by calls through Spring on
	 * this instance.
	 * @return the number since it started
	 */
	public long removals() {
		return counts().removals.sum();
	}

	@Override
	CacheKey key(Object key) {
		return SpringKeys.of(getName(), key, null);
	}

	@Override
	CacheType type() {
		CacheType type = parts().definitions().type(getName());
		if (type == null) {
			throw new IllegalStateException("What cache '" + getName()
					+ "' holds is not known, so its values cannot be read. Set ge.redis.cache.caches." + getName()
					+ ".type to the class of its values, or use get(key, Class)");
		}
		return type;
	}

	@Override
	void missed(SplitMiss miss) {
		parts().split().tell(miss, miss.access());
		if (miss.isLeased() || !openMisses().isLeased(miss.key())) {
			parts().split().giveBackAtEnd(miss);
			parts().transactions()
				.openMisses()
				.add(miss)
				.forEach((forgotten) -> parts().split().giveBack(forgotten, false));
		}
	}

	// Nothing ties a later put to it
	@Override
	void missedLater(SplitMiss miss) {
		parts().split().tell(miss, miss.access());
		parts().split().giveBack(miss, false);
	}

	@Override
	CacheSource source(CacheKey entry, Callable<? extends @Nullable Object> loader) {
		return new Called(entry, type(), loader);
	}

	@Override
	public <T> @Nullable T get(Object key, @Nullable Class<T> wanted) {
		ValueWrapper found = find(key(key), (wanted != null) ? type(wanted) : type());
		Object value = (found != null) ? found.get() : null;
		return SpringCacheView.cast(getName(), value, wanted);
	}

	private CacheType type(Class<?> wanted) {
		CacheType declared = parts().definitions().type(getName());
		if (declared != null || wanted == Object.class) {
			return type();
		}
		CacheType type = parts().codec().type(ClassUtils.resolvePrimitiveIfNecessary(wanted));
		parts().definitions().usedAs(getName(), type);
		return type;
	}

	@Override
	public void put(Object key, @Nullable Object value) {
		counts().puts.increment();
		put(key(key), value);
	}

	private void put(CacheKey entry, @Nullable Object value) {
		SplitMiss miss = openMisses().find(entry);
		if (miss == null) {
			change(entry, value);
		}
		else if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			openMisses().remove(miss);
			if (!fill(miss, value)) {
				// Nobody knows whether the value is older or newer than what stands
				parts().writer().evict(entry);
			}
		}
		else if (miss.isLeased() && TransactionSynchronizationManager.isSynchronizationActive()) {
			fillAfterCommit(miss, value);
		}
		else {
			openMisses().remove(miss);
			parts().split().giveBack(miss, false);
			parts().writer().evict(entry);
		}
	}

	// What a transaction that may write puts is perhaps a change, and certainly none if
	// it has only read
	private void change(CacheKey entry, @Nullable Object value) {
		parts().writer().requireWrittenThrough(entry);
		if (openMisses().isForgetful() || TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			parts().writer().evict(entry);
		}
		else {
			parts().writer().put(entry, value);
		}
	}

	private boolean fill(SplitMiss miss, @Nullable Object value) {
		SplitReader split = parts().split();
		CacheTransactions transactions = parts().transactions();
		if (transactions.isWriting(miss.key()) || miss.isBehind(transactions.snapshot())) {
			split.giveBack(miss, false);
			return false;
		}
		split.loaded(miss, true);
		return Waiting.await(split.fill(miss, value));
	}

	/**
	 * The value may be a change that is taken back. The lease stands for as long as
	 * nobody writes, so the value can be stored later.
	 */
	private void fillAfterCommit(SplitMiss miss, @Nullable Object value) {
		SplitReader split = parts().split();
		boolean behind = miss.isBehind(parts().transactions().snapshot());
		split.loaded(miss, true);
		if (miss.await(behind ? null : split.bytes(miss, value))) {
			TransactionSynchronizationManager.registerSynchronization(new FillAfterCommit(miss));
		}
	}

	@Override
	public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
		CacheKey entry = key(key);
		SplitMiss before = openMisses().find(entry);
		ValueWrapper existing = get(key);
		if (existing != null) {
			return existing;
		}
		SplitMiss after = openMisses().find(entry);
		if (after != null && after != before) {
			// The value is older than this lease
			openMisses().remove(after);
			parts().split().giveBack(after, false);
			counts().puts.increment();
			parts().writer().evict(entry);
			return null;
		}
		put(key, value);
		return null;
	}

	@Override
	public void evict(Object key) {
		CacheKey entry = key(key);
		forget(entry);
		parts().writer().evict(entry);
	}

	@Override
	public boolean evictIfPresent(Object key) {
		CacheKey entry = key(key);
		forget(entry);
		removeNow(entry);
		return false;
	}

	// Once more after the commit, since others may load the old value until then
	private void removeNow(CacheKey target) {
		parts().writer().remove(target);
		parts().writer().evictWithTransaction(target);
	}

	private void forget(CacheKey entry) {
		counts().removals.increment();
		SplitMiss miss = openMisses().find(entry);
		if (miss != null) {
			openMisses().remove(miss);
			parts().split().giveBack(miss, false);
		}
	}

	private OpenMisses openMisses() {
		return parts().transactions().openMisses();
	}

	@Override
	public void clear() {
		counts().removals.increment();
		parts().writer().invalidate(getName(), CacheTags.ALL);
	}

	@Override
	public boolean invalidate() {
		counts().removals.increment();
		removeNow(CacheKey.whole(getName()));
		return false;
	}

	/**
	 * Stores a value when the transaction has ended in which it was put.
	 */
	private final class FillAfterCommit implements TransactionSynchronization {

		private final SplitMiss miss;

		private boolean takenBack;

		FillAfterCommit(SplitMiss miss) {
			this.miss = miss;
		}

		@Override
		public void savepointRollback(Object savepoint) {
			this.takenBack = true;
		}

		@Override
		public void afterCompletion(int status) {
			openMisses().remove(this.miss);
			boolean committed = status == STATUS_COMMITTED && !this.takenBack;
			if (!committed) {
				parts().split().giveBack(this.miss, false);
			}
			else if (!Waiting.await(parts().split().store(this.miss, this.miss.awaited()))) {
				parts().writer().remove(this.miss.key());
			}
		}

	}

	/**
	 * A source in code.
	 */
	private record Called(CacheKey key, CacheType type,
			Callable<? extends @Nullable Object> loader) implements CacheSource {

		@Override
		public @Nullable Object load() throws Exception {
			return this.loader.call();
		}

	}

}
