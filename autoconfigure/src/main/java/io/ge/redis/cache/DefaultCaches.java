/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.util.ClassUtils;

/**
 * The synchronous flavour: waits for the engine, loads and writes on the thread of the
 * caller, in its transaction, and tells there what happened.
 */
final class DefaultCaches implements GeCaches {

	private static final Log logger = LogFactory.getLog(DefaultCaches.class);

	private final CacheDefinitions definitions;

	private final CacheCodec codec;

	private final CacheReader reader;

	private final CacheValues values;

	private final CacheEngine engine;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	private final WriteBehind behind;

	DefaultCaches(CacheDefinitions definitions, CacheCodec codec, CacheReader reader, CacheValues values,
			CacheEngine engine, CacheTransactions transactions, GuardEvents events, WriteBehind behind) {
		this.definitions = definitions;
		this.codec = codec;
		this.reader = reader;
		this.values = values;
		this.engine = engine;
		this.transactions = transactions;
		this.events = events;
		this.behind = behind;
	}

	@Override
	public <T> @Nullable T get(String cache, Object key, Class<T> type, Supplier<? extends @Nullable T> loader) {
		return get(cache, key, (Type) ClassUtils.resolvePrimitiveIfNecessary(type), loader);
	}

	@Override
	public <T> @Nullable T get(String cache, Object key, ParameterizedTypeReference<T> type,
			Supplier<? extends @Nullable T> loader) {
		return get(cache, key, type.getType(), loader);
	}

	@Override
	public <K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, Class<T> type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader) {
		return getAll(cache, keys, (Type) ClassUtils.resolvePrimitiveIfNecessary(type), loader);
	}

	@Override
	public <K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, ParameterizedTypeReference<T> type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader) {
		return getAll(cache, keys, type.getType(), loader);
	}

	@SuppressWarnings("unchecked")
	private <K, T> Map<K, T> getAll(String cache, Collection<? extends K> keys, Type type,
			Function<? super List<K>, ? extends Map<? extends K, ? extends @Nullable T>> loader) {
		CacheType wanted = typeOf(cache, type);
		Map<CacheKey, Object> entries = CacheBulkMethod.entries(cache, keys, "A key of cache '" + cache + "'");
		return unchecked(() -> (Map<K, T>) CacheBulkMethod.result(entries, this.reader
			.readAll(new SuppliedForSeveral(cache, wanted, entries, (ids) -> loader.apply((List<K>) ids)))));
	}

	private CacheType typeOf(String cache, Type type) {
		CacheType wanted = this.codec.type(type);
		if (this.definitions.type(cache) == wanted) {
			return wanted;
		}
		CacheType held = heldType(cache);
		if (held != null && !held.javaType().equals(wanted.javaType())) {
			throw new IllegalArgumentException("Cache '" + cache + "' holds " + held.javaType().toCanonical() + ", not "
					+ wanted.javaType().toCanonical());
		}
		this.definitions.usedAs(cache, wanted);
		return wanted;
	}

	@SuppressWarnings("unchecked")
	private <T> @Nullable T get(String cache, Object key, Type type, Supplier<? extends @Nullable T> loader) {
		CacheType wanted = typeOf(cache, type);
		CacheKey entry = key(cache, key);
		NearValue held = this.reader.inMemory(entry, wanted);
		return (held != null) ? (T) held.value()
				: unchecked(() -> (T) this.reader.read(new Supplied(entry, wanted, loader)));
	}

	private static <T extends @Nullable Object> T unchecked(Call<T> call) {
		try {
			return call.run();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException("Suppliers and functions throw no checked exceptions", ex);
		}
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" }) // what the work returns is a T
	public <T extends @Nullable Object> T write(String cache, Object key, Supplier<T> work) {
		return unchecked(() -> (T) write(key(cache, key), TransactionBoundary.UNKNOWN, work::get,
				(result, stamp) -> newValue(cache, result, stamp, null)));
	}

	@Override
	public void put(String cache, Object key, @Nullable Object value) {
		put(key(cache, key), value);
	}

	/**
	 * As {@link #put(String, Object, Object)}.
	 */
	void put(CacheKey key, @Nullable Object value) {
		CacheWrite write = newWrite(writtenThrough(key), TransactionBoundary.UNKNOWN);
		write.value(newValue(key.cache(), value, stamp(write), null));
		if (!this.transactions.add(write)) {
			remove(write);
		}
	}

	@Override
	public void evict(String cache, Object key) {
		evict(key(cache, key));
	}

	/**
	 * As {@link #evict(String, Object)}.
	 */
	void evict(CacheKey key) {
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
	void evictWithTransaction(CacheKey target) {
		CacheWrite write = newWrite(target, TransactionBoundary.UNKNOWN);
		this.transactions.dropValues(target);
		this.transactions.add(write);
	}

	/**
	 * Removes an entry, or all of a cache, at once, whatever transaction there is, and
	 * does not wait for Redis.
	 * @param target names the entry, or the cache as a whole
	 * @return completes when Redis knows, or cannot be told at present; never
	 * exceptionally
	 */
	CompletableFuture<CacheEvent.Outcome> removeSoon(CacheKey target) {
		return this.engine.invalidate(newWrite(target, TransactionBoundary.UNKNOWN));
	}

	/**
	 * Checks that values can be written to the cache of an entry otherwise than behind.
	 */
	void requireWrittenThrough(CacheKey key) {
		writtenThrough(key);
	}

	@Override
	public long writeBehind(String cache, Object key, @Nullable Object value) {
		return writeBehind(key(cache, key), value);
	}

	@Override
	public void invalidateTags(String cache, Object... tags) {
		boolean listed = tags.length == 1 && tags[0] instanceof Collection;
		invalidate(cache, CacheTags.of(listed ? tags[0] : tags, "A tag of cache '" + cache + "'"));
	}

	@Override
	public void clear(String cache) {
		invalidate(cache, CacheTags.ALL);
	}

	private void invalidate(String cache, CacheTags tags) {
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
	CacheEvent.Outcome remove(String cache, CacheTags tags) {
		return remove(newWrite(cache, tags));
	}

	/**
	 * Removes an entry, or all of a cache, at once, whatever transaction there is.
	 * @param target names the entry, or the cache as a whole
	 */
	CacheEvent.Outcome remove(CacheKey target) {
		return remove(newWrite(target, TransactionBoundary.UNKNOWN));
	}

	private CacheEvent.Outcome remove(CacheWrite write) {
		CacheEvent.Outcome outcome = Waiting.await(this.engine.invalidate(write));
		this.events.publish(new CacheEvent.Write(write.key().cache(), outcome));
		return outcome;
	}

	private static CacheKey key(String cache, Object key) {
		return CacheKey.of(cache, key, "The key of cache '" + cache + "'");
	}

	/**
	 * Runs a writer.
	 * @param value computes the value from the result of the work; {@code null} if the
	 * entry is to be removed
	 */
	@Nullable Object write(CacheKey entry, TransactionBoundary boundary, Work work, Valuation value) throws Throwable {
		CacheKey key = (value != Valuation.NOTHING) ? writtenThrough(entry) : entry;
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
	@Nullable Object invalidate(String cache, TransactionBoundary boundary, Work work, Function<@Nullable Object, CacheTags> tags)
			throws Throwable {
		CacheWrite write = newWrite(CacheKey.whole(cache), boundary);
		this.transactions.begin(write);
		Object result;
		try {
			result = work.run();
		}
		catch (Throwable ex) {
			choose(write, tags, null, false, () -> this.transactions.failed(write));
			throw ex;
		}
		choose(write, tags, result, true, () -> this.transactions.returned(write, null));
		return result;
	}

	private static void choose(CacheWrite write, Function<@Nullable Object, CacheTags> tags, @Nullable Object result,
			boolean returned, Runnable leave) {
		try {
			write.tags(tags.apply(result));
		}
		catch (Exception ex) {
			if (returned) {
				logger.warn("Which entries of cache '" + write.key().cache()
						+ "' are to be invalidated is not known, all are: " + ex.getMessage());
			}
		}
		finally {
			// After an Error, too, which the caller gets: all are, unless it is known
			leave.run();
		}
	}

	// The change may be committed already: whatever is wrong with the value, the caller
	// must not take it for a failure of the change
	private void returned(CacheWrite write, long stamp, @Nullable Object result, Valuation value) {
		CacheWrite.NewValue made = null;
		try {
			made = value.of(result, stamp);
		}
		catch (Exception ex) {
			logger.warn("A value for cache '" + write.key().cache() + "' could not be made, its entry is removed: "
					+ ex.getMessage());
		}
		finally {
			// After an Error, too, which the caller gets: the thread is no longer inside
			// of the writer
			this.transactions.returned(write, made);
		}
	}

	private CacheWrite newWrite(CacheKey key, TransactionBoundary boundary) {
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
		return stamp(write.key().cache(), this.transactions.snapshot(), write.budget());
	}

	private long stamp(String cache, Snapshot snapshot, CallBudget budget) {
		CacheInvalidations invalidations = this.engine.invalidations();
		// If it is not, what is stamped with an old version is loaded once more
		invalidations.awaitReady(cache, budget);
		return invalidations.stamp(cache, snapshot);
	}

	/**
	 * Puts a value into a cache that is written behind.
	 * @return the version of the change
	 */
	long writeBehind(CacheKey key, @Nullable Object value) {
		String cache = key.cache();
		if (!this.behind.isBehind(cache)) {
			throw new IllegalArgumentException("Cache '" + cache + "' is not written behind. Define a WriteBehindStore"
					+ " bean for it, or set ge.redis.cache.caches." + cache
					+ ".write-behind=true where another application has it");
		}
		CacheType type = behindType(cache, value);
		if (value != null && !type.accepts(value)) {
			throw new IllegalArgumentException("Cache '" + cache + "' holds " + type.javaType().toCanonical() + ", not "
					+ value.getClass().getName());
		}
		byte[] change = this.behind.change(type.javaType(), value);
		long most = this.definitions.maxValueSize();
		if (change.length > most) {
			throw new IllegalArgumentException("A change of cache '" + cache + "' has " + change.length
					+ " bytes as JSON. Those above " + most + " bytes (ge.redis.cache.max-value-size) are not taken");
		}
		CallBudget budget = this.engine.newBudget();
		CacheHeader header = this.values.header(cache, this.values.loadTimes().of(cache),
				stamp(cache, Snapshot.NONE, budget), null);
		CacheWrite.NewValue entry = (header != null) ? this.values.stored(cache, type, value, header) : null;
		byte[] bytes = (entry != null) ? entry.bytes() : new byte[0];
		Duration ttl = (entry != null) ? entry.ttl() : Duration.ZERO;
		try {
			long version = Waiting.await(this.behind.append(cache, key.parts(), change, bytes, ttl, budget));
			this.events.publish(new CacheEvent.Write(cache, CacheEvent.Outcome.WAITING));
			return version;
		}
		finally {
			this.engine.changed(key);
		}
	}

	private CacheType behindType(String cache, @Nullable Object value) {
		CacheType held = heldType(cache);
		return (held != null) ? held : this.codec.type((value != null) ? value.getClass() : Object.class);
	}

	private @Nullable CacheType heldType(String cache) {
		JavaType stored = this.behind.storedType(cache);
		return (stored != null) ? this.codec.type(stored) : this.definitions.type(cache);
	}

	private CacheKey writtenThrough(CacheKey key) {
		if (this.behind.isBehind(key.cache())) {
			throw new IllegalArgumentException("Cache '" + key.cache()
					+ "' is written behind: a value that is written otherwise would be overwritten by older changes."
					+ " Use writeBehind");
		}
		return key;
	}

	/**
	 * Makes a value to publish, of the type that the cache is declared with.
	 * @param stamp the version that was known before the value was made
	 * @param tags its tags, or {@code null} if nothing is known about them
	 * @return the value, or {@code null} if the entry is to be removed
	 */
	CacheWrite.@Nullable NewValue newValue(String cache, @Nullable Object value, long stamp, @Nullable CacheTags tags) {
		return this.values.published(cache, value, stamp, tags);
	}

	/**
	 * Makes the value of a writer from the result of its work.
	 */
	@FunctionalInterface
	interface Valuation {

		/** The entry is to be removed. */
		Valuation NOTHING = (result, stamp) -> null;

		/**
		 * Returns the value.
		 * @param stamp the version that was known before the work
		 * @return the value, or {@code null} if the entry is to be removed
		 */
		CacheWrite.@Nullable NewValue of(@Nullable Object result, long stamp);

	}

	/**
	 * What code has asked for.
	 */
	@FunctionalInterface
	private interface Call<T extends @Nullable Object> {

		T run() throws Throwable;

	}

	/**
	 * Does the work of a writer.
	 */
	@FunctionalInterface
	interface Work {

		@Nullable Object run() throws Throwable;

	}

	/**
	 * A source of several values in code.
	 */
	private record SuppliedForSeveral(String cache, CacheType type, Map<CacheKey, Object> entries,
			Function<List<Object>, @Nullable Map<?, ?>> loader) implements CacheBulkSource {

		@Override
		public Collection<CacheKey> keys() {
			return this.entries.keySet();
		}

		@Override
		public Map<CacheKey, @Nullable Object> load(List<CacheKey> missing) {
			return CacheBulkMethod.byKey(this.entries, missing,
					this.loader.apply(CacheBulkMethod.ids(this.entries, missing)));
		}

	}

	/**
	 * A source in code.
	 */
	private record Supplied(CacheKey key, CacheType type,
			Supplier<? extends @Nullable Object> loader) implements CacheSource {

		@Override
		public @Nullable Object load() {
			return this.loader.get();
		}

	}

}
