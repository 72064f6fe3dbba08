/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.function.Function;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.cache.engine.CacheValues;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.settings.CacheRegistry;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Changes what caches hold, for whoever changes the database: on the thread of the
 * caller, in its transaction, and waiting for the engine.
 */
public final class CacheWriter {

	private final CacheRegistry definitions;

	private final CacheValues values;

	private final CacheEngine engine;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	private final WriteBehind behind;

	public CacheWriter(CacheRegistry definitions, CacheValues values, CacheEngine engine,
			CacheTransactions transactions, GuardEvents events, WriteBehind behind) {
		this.definitions = definitions;
		this.values = values;
		this.engine = engine;
		this.transactions = transactions;
		this.events = events;
		this.behind = behind;
	}

	// With a method

	/**
	 * Runs a writer.
	 * @param value computes the value from the result of the work; {@code null} if the
	 * entry is to be removed
	 */
	public @Nullable Object write(CacheKey key, TransactionBoundary boundary, Work work, Valuation value)
			throws Throwable {
		if (value != Valuation.NOTHING) {
			requireWrittenThrough(key);
		}
		if (this.transactions.isInsideWriter(key)) {
			if (value == Valuation.NOTHING) {
				this.transactions.dropValues(key);
			}
			return work.run();
		}
		CacheWrite write = newWrite(key, boundary);
		long stamp = (value != Valuation.NOTHING) ? stamp(write) : CacheInvalidations.UNSTAMPABLE;
		this.transactions.begin(write);
		Object result;
		try {
			result = work.run();
		}
		catch (Throwable ex) {
			this.transactions.failed(write);
			throw ex;
		}
		returned(write, stamp, result, value);
		return result;
	}

	/**
	 * Runs what makes many entries outdated.
	 * @param tags which entries, by the result of the work
	 */
	public @Nullable Object invalidate(String cache, TransactionBoundary boundary, Work work,
			Function<@Nullable Object, CacheTags> tags) throws Throwable {
		WritePart part = WritePart.of(cache, tags);
		CacheWrite write = newWrite(part.key(), boundary);
		this.transactions.begin(write);
		Object result;
		try {
			result = work.run();
		}
		catch (Throwable ex) {
			choose(part, write, null, false, () -> this.transactions.failed(write));
			throw ex;
		}
		choose(part, write, result, true, () -> this.transactions.returned(write, null));
		return result;
	}

	private static void choose(WritePart part, CacheWrite write, @Nullable Object result, boolean returned,
			Runnable leave) {
		try {
			part.choose(write, result, returned);
		}
		finally {
			// After an Error, too, which the caller gets: all are, unless it is known
			leave.run();
		}
	}

	private void returned(CacheWrite write, long stamp, @Nullable Object result, Valuation value) {
		NewValue made = null;
		try {
			made = WritePart.of(write.key(), value).valueOf(result, stamp);
		}
		finally {
			// After an Error, too, which the caller gets: the thread is no longer inside
			// of the writer
			this.transactions.returned(write, made);
		}
	}

	/**
	 * Makes a write, of which nobody knows yet.
	 */
	CacheWrite newWrite(CacheKey key, TransactionBoundary boundary) {
		return new CacheWrite(key, this.engine.newHandle(), this.definitions.writing(key.cache()), boundary,
				this.engine.newBudget());
	}

	/**
	 * Returns the version that what a writer is about to make is stamped with.
	 */
	private long stamp(CacheWrite write) {
		if (!write.isPublishing()) {
			return CacheInvalidations.UNSTAMPABLE;
		}
		return this.engine.invalidations().stamp(write.key().cache(), this.transactions.snapshot(), write.budget());
	}

	/**
	 * Makes a value to publish, of the type that the cache is declared with.
	 * @param stamp the version that was known before the value was made
	 * @param tags its tags, or {@code null} if nothing is known about them
	 * @return the value, or {@code null} if the entry is to be removed
	 */
	public @Nullable NewValue newValue(String cache, @Nullable Object value, long stamp, @Nullable CacheTags tags) {
		return this.values.published(cache, value, stamp, tags);
	}

	// Without a method

	/**
	 * Puts a value, as {@link GeCaches#put}.
	 */
	public void put(CacheKey key, @Nullable Object value) {
		requireWrittenThrough(key);
		CacheWrite write = newWrite(key, TransactionBoundary.UNKNOWN);
		write.value(newValue(key.cache(), value, stamp(write), null));
		if (!this.transactions.add(write)) {
			remove(write);
		}
	}

	/**
	 * Puts a value that is newer than what stands: as {@link #put} in a transaction, and
	 * otherwise at once, unless another writer is at work.
	 */
	public void putNow(CacheKey key, @Nullable Object value) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			put(key, value);
			return;
		}
		try {
			write(key, TransactionBoundary.UNKNOWN, () -> value,
					(result, stamp) -> newValue(key.cache(), result, stamp, null));
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Removes an entry, as {@link GeCaches#evict}.
	 */
	public void evict(CacheKey key) {
		CacheWrite write = newWrite(key, TransactionBoundary.UNKNOWN);
		this.transactions.dropValues(write.key());
		if (!this.transactions.add(write)) {
			remove(write);
		}
	}

	/**
	 * Removes an entry, or all of a cache, after the commit of the current transaction,
	 * and does nothing if there is none.
	 * @param target names the entry, or the cache as a whole
	 */
	public void evictWithTransaction(CacheKey target) {
		CacheWrite write = newWrite(target, TransactionBoundary.UNKNOWN);
		this.transactions.dropValues(target);
		this.transactions.add(write);
	}

	/**
	 * Checks that values can be written to the cache of an entry otherwise than behind.
	 */
	public void requireWrittenThrough(CacheKey key) {
		if (this.behind.isBehind(key.cache())) {
			throw new IllegalArgumentException("Cache '" + key.cache()
					+ "' is written behind: a value that is written otherwise would be overwritten by older changes."
					+ " Use writeBehind");
		}
	}

	/**
	 * Makes many entries outdated, after the commit of the current transaction if there
	 * is one.
	 */
	public void invalidate(String cache, CacheTags tags) {
		if (tags.isEmpty()) {
			return;
		}
		CacheWrite write = newWrite(cache, tags);
		if (!this.transactions.add(write)) {
			remove(write);
		}
	}

	private CacheWrite newWrite(String cache, CacheTags tags) {
		CacheWrite write = newWrite(CacheKey.whole(cache), TransactionBoundary.UNKNOWN);
		write.tags(tags);
		return write;
	}

	/**
	 * Makes many entries outdated at once, whatever transaction there is.
	 */
	public CacheEvent.Outcome remove(String cache, CacheTags tags) {
		return remove(newWrite(cache, tags));
	}

	/**
	 * Removes an entry, or all of a cache, at once, whatever transaction there is.
	 * @param target names the entry, or the cache as a whole
	 */
	public CacheEvent.Outcome remove(CacheKey target) {
		return remove(newWrite(target, TransactionBoundary.UNKNOWN));
	}

	private CacheEvent.Outcome remove(CacheWrite write) {
		CacheEvent.Outcome outcome = Waiting.await(this.engine.invalidate(write));
		this.events.publish(new CacheEvent.Write(write.key().cache(), outcome));
		return outcome;
	}

	/**
	 * Makes the value of a writer from the result of its work.
	 */
	@FunctionalInterface
	public interface Valuation {

		/** The entry is to be removed. */
		Valuation NOTHING = (result, stamp) -> null;

		/**
		 * Returns the value.
		 * @param stamp the version that was known before the work
		 * @return the value, or {@code null} if the entry is to be removed
		 */
		@Nullable NewValue of(@Nullable Object result, long stamp);

	}

	/**
	 * Does the work of a writer.
	 */
	@FunctionalInterface
	public interface Work {

		@Nullable Object run() throws Throwable;

	}

}
