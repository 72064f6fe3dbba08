// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Changes what caches hold after changes of the database, by the same steps for all forms
 * of results. Nothing here blocks but the methods for plain callers, which wait for what
 * their asynchronous twins return. The other side is {@code CacheReader}.
 */
record CacheWriter(CacheRegistry definitions, CacheValues values, CacheEngine engine, WriteSteps steps,
		CacheTransactions transactions, ReactiveCacheTransactions reactive, WriteBehind behind, GuardedCalls calls) {

	// With a method

	GuardedCall<?> call(Supplier<List<CacheWrite.Part>> parts, TransactionBoundary boundary, ResultForm form,
			GuardedCall.Work work) {
		return new CacheWriteCall(this, parts, boundary, form, work);
	}

	@Nullable Object write(CacheKey key, ResultForm form, Supplier<? extends @Nullable Object> work) {
		CacheWrite.Part part = CacheWrite.Part.of(key, (result, stamp) -> newValue(key.cache(), result, stamp, null));
		try {
			return this.calls.start(form,
					() -> call(() -> List.of(part), TransactionBoundary.UNKNOWN, form, work::get));
		}
		catch (Throwable ex) {
			throw unchecked(ex);
		}
	}

	/**
	 * Returns the failure of a function that throws no checked exceptions.
	 */
	static RuntimeException unchecked(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		return (failure instanceof RuntimeException unchecked) ? unchecked : new IllegalStateException(failure);
	}

	CacheWrite newWrite(CacheKey key, TransactionBoundary boundary) {
		return new CacheWrite(key, this.engine.newHandle(), this.definitions.settings(key.cache()).longestTtl(),
				this.definitions.isStrict(), boundary, this.engine.newBudget());
	}

	/**
	 * Makes a value to publish, of the type that the cache is declared with.
	 * @param stamp the version that was known before the value was made
	 * @param tags its tags, or {@code null} if nothing is known about them
	 * @return the value, or {@code null} if the entry is to be removed
	 */
	@Nullable NewValue newValue(String cache, @Nullable Object value, long stamp, @Nullable CacheTags tags) {
		return this.values.published(cache, value, stamp, tags);
	}

	/**
	 * Checks that values can be written to the cache of an entry otherwise than behind.
	 */
	void requireWrittenThrough(CacheKey key) {
		if (this.behind.isBehind(key.cache())) {
			throw new IllegalArgumentException("Cache '" + key.cache()
					+ "' is written behind: a value that is written otherwise would be overwritten by older changes."
					+ " Use writeBehind");
		}
	}

	// Without a method

	/**
	 * Puts a value, as {@link GeCaches#put}.
	 */
	void put(CacheKey key, @Nullable Object value) {
		this.steps.publishEvents(Waiting.await(putAfterCommit(key, value, true)));
	}

	CompletionStage<@Nullable Void> putAsync(CacheKey key, @Nullable Object value) {
		return this.steps.publishEventsAsync(putAfterCommit(key, value, false), this.calls);
	}

	private CompletableFuture<List<CacheEvent.Write>> putAfterCommit(CacheKey key, @Nullable Object value,
			boolean waiting) {
		requireWrittenThrough(key);
		CacheWrite write = newWrite(key, TransactionBoundary.UNKNOWN);
		write.value(newValue(key.cache(), value, stamp(write, waiting), null));
		return afterCommit(write);
	}

	private long stamp(CacheWrite write, boolean waiting) {
		CompletableFuture<Long> stamp = this.engine.invalidations.stampWhenReady(write.key.cache(),
				this.transactions.snapshot(), write.budget);
		return waiting ? Waiting.await(stamp)
				: this.engine.invalidations.stamp(write.key.cache(), this.transactions.snapshot());
	}

	/**
	 * Puts a value that is newer than the stored one: as {@link #put} in a transaction,
	 * and otherwise at once, unless another writer is active.
	 */
	void putNow(CacheKey key, @Nullable Object value) {
		if (this.transactions.isInTransaction()) {
			put(key, value);
		}
		else {
			write(key, ResultForm.PLAIN, () -> value);
		}
	}

	/**
	 * Removes an entry, or many, after the commit of the transaction of this thread, or
	 * at once if there is none.
	 * @param target names the entry, or the cache as a whole
	 */
	void remove(CacheKey target, CacheTags tags) {
		this.steps.publishEvents(Waiting.await(removeAfterCommit(target, tags)));
	}

	CompletionStage<@Nullable Void> removeAsync(CacheKey target, CacheTags tags) {
		return this.steps.publishEventsAsync(removeAfterCommit(target, tags), this.calls);
	}

	private CompletableFuture<List<CacheEvent.Write>> removeAfterCommit(CacheKey target, CacheTags tags) {
		this.transactions.known().dropValues(target);
		return tags.isEmpty() ? CompletableFuture.completedFuture(List.of()) : afterCommit(removal(target, tags));
	}

	// A value without a transaction is dropped, since it may not be the newest one
	private CompletableFuture<List<CacheEvent.Write>> afterCommit(CacheWrite write) {
		if (this.transactions.add(write)) {
			return CompletableFuture.completedFuture(List.of());
		}
		write.dropValue();
		return this.steps.resolve(List.of(write));
	}

	/**
	 * Removes an entry, or many, at once, and once more after the commit of the current
	 * transaction, if there is one: others may load the old value until then.
	 * @param target names the entry, or the cache as a whole
	 */
	CacheEvent.Outcome removeNow(CacheKey target, CacheTags tags) {
		List<CacheEvent.Write> removed = Waiting.await(this.steps.resolve(List.of(removal(target, tags))));
		this.steps.publishEvents(removed);
		this.transactions.known().dropValues(target);
		this.transactions.add(removal(target, tags));
		return removed.get(0).outcome();
	}

	private CacheWrite removal(CacheKey target, CacheTags tags) {
		CacheWrite write = newWrite(target, TransactionBoundary.UNKNOWN);
		write.tags(tags);
		return write;
	}

}
