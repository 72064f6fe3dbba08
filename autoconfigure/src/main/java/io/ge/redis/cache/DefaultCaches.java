/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.util.ClassUtils;

/**
 * The synchronous flavour: waits for the engine, loads and writes on the thread of the
 * caller, in its transaction, and tells there what happened.
 */
final class DefaultCaches implements GeCaches {

	private static final Log logger = LogFactory.getLog(DefaultCaches.class);

	private static final Predicate<@Nullable Object> ALWAYS = (value) -> true;

	private final CacheDefinitions definitions;

	private final CacheCodec codec;

	private final CacheEngine engine;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	DefaultCaches(CacheDefinitions definitions, CacheCodec codec, CacheEngine engine, CacheTransactions transactions,
			GuardEvents events) {
		this.definitions = definitions;
		this.codec = codec;
		this.engine = engine;
		this.transactions = transactions;
		this.events = events;
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

	@SuppressWarnings("unchecked")
	private <T> @Nullable T get(String cache, Object key, Type type, Supplier<? extends @Nullable T> loader) {
		CacheType wanted = this.codec.type(type);
		CacheType declared = this.definitions.type(cache);
		if (declared != null && !declared.javaType().equals(wanted.javaType())) {
			throw new IllegalArgumentException("Cache '" + cache + "' holds " + declared.javaType().toCanonical()
					+ ", not " + wanted.javaType().toCanonical());
		}
		this.definitions.usedAs(cache, wanted);
		try {
			return (T) read(key(cache, key), wanted, loader::get, ALWAYS);
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException("A supplier throws no checked exceptions", ex);
		}
	}

	@Override
	public <T extends @Nullable Object> T write(String cache, Object key, Supplier<T> work) {
		CacheKey entry = key(cache, key);
		if (this.transactions.isInsideWriter(entry)) {
			return work.get();
		}
		CacheWrite write = newWrite(entry, TransactionBoundary.UNKNOWN);
		this.transactions.begin(write);
		T result;
		try {
			result = work.get();
		}
		catch (Throwable ex) {
			this.transactions.failed(write);
			throw ex;
		}
		this.transactions.returned(write, newValue(cache, result));
		return result;
	}

	@Override
	public void put(String cache, Object key, @Nullable Object value) {
		CacheWrite write = newWrite(key(cache, key), TransactionBoundary.UNKNOWN);
		write.value(newValue(cache, value));
		if (!this.transactions.add(write)) {
			remove(write);
		}
	}

	@Override
	public void evict(String cache, Object key) {
		CacheWrite write = newWrite(key(cache, key), TransactionBoundary.UNKNOWN);
		if (!this.transactions.add(write)) {
			remove(write);
		}
	}

	private void remove(CacheWrite write) {
		CacheEvent.Outcome outcome = Waiting.await(this.engine.invalidate(write));
		this.events.publish(new CacheEvent.Write(write.key().cache(), outcome));
	}

	private static CacheKey key(String cache, Object key) {
		return CacheKey.of(cache, key, "The key of cache '" + cache + "'");
	}

	// Readers

	/**
	 * Reads through the cache.
	 * @param storable whether a loaded value is to be stored
	 */
	@Nullable Object read(CacheKey key, CacheType type, Loader loader, Predicate<@Nullable Object> storable) throws Throwable {
		if (this.transactions.isWriting(key) || !this.transactions.beginLoad(key)) {
			return load(key, type, CacheLookup.Load.BYPASS, loader, storable, this.engine.newBudget());
		}
		try {
			CallBudget budget = this.engine.newBudget();
			CacheSettings settings = this.definitions.settings(key.cache());
			CacheLookup lookup = look(key, settings, type, false, budget);
			if (lookup instanceof CacheLookup.Found found) {
				CacheType.Content content = type.read(found.value());
				if (content != null) {
					this.events.publish(new CacheEvent.Read(key.cache(), Access.HIT, CacheEvent.Tier.REDIS));
					return content.value();
				}
				lookup = replaceable(look(key, settings, type, true, budget));
			}
			return load(key, type, (CacheLookup.Load) lookup, loader, storable, budget);
		}
		finally {
			this.transactions.endLoad();
		}
	}

	private static CacheLookup.Load replaceable(CacheLookup second) {
		CacheLookup.Load load = (second instanceof CacheLookup.Load granted) ? granted : CacheLookup.Load.UNSTORED;
		return new CacheLookup.Load(load.permit(), load.bypassed(), true);
	}

	private CacheLookup look(CacheKey key, CacheSettings settings, CacheType type, boolean replace, CallBudget budget) {
		return Waiting.await(this.engine.lookup(key, settings, type.readable(), replace, budget));
	}

	private @Nullable Object load(CacheKey key, CacheType type, CacheLookup.Load load, Loader loader,
			Predicate<@Nullable Object> storable, CallBudget budget) throws Throwable {
		CacheLookup.Permit permit = load.permit();
		long age = (permit != null) ? this.transactions.snapshotAge() : -1;
		boolean stored = false;
		try {
			if (load.replacing()) {
				this.events.publish(new CacheEvent.Unreadable(key.cache()));
			}
			this.events.publish(new CacheEvent.Read(key.cache(), load.bypassed() ? Access.BYPASS : Access.MISS,
					CacheEvent.Tier.REDIS));
			Object value = timed(key, loader);
			if (permit != null && storable.test(value)) {
				CacheWrite.NewValue bytes = newValue(key.cache(), type, value);
				if (bytes != null) {
					stored = true;
					Waiting.await(this.engine.fill(permit, bytes.bytes(), bytes.ttl(), age, budget));
				}
			}
			return value;
		}
		finally {
			if (permit != null && !stored) {
				this.engine.release(permit);
			}
		}
	}

	private @Nullable Object timed(CacheKey key, Loader loader) throws Throwable {
		long started = System.nanoTime();
		boolean succeeded = false;
		try {
			Object value = loader.load();
			succeeded = true;
			return value;
		}
		finally {
			this.events.publish(new CacheEvent.Load(key.cache(), succeeded, System.nanoTime() - started));
		}
	}

	// Writers

	/**
	 * Runs a writer.
	 * @param value computes the value from the result of the work; {@code null} if the
	 * entry is to be removed
	 */
	@Nullable Object write(CacheKey key, TransactionBoundary boundary, Loader work,
			Function<@Nullable Object, CacheWrite.@Nullable NewValue> value) throws Throwable {
		if (this.transactions.isInsideWriter(key)) {
			return work.load();
		}
		CacheWrite write = newWrite(key, boundary);
		this.transactions.begin(write);
		Object result;
		try {
			result = work.load();
		}
		catch (Throwable ex) {
			this.transactions.failed(write);
			throw ex;
		}
		this.transactions.returned(write, valueOrRemoval(key, value, result));
		return result;
	}

	// The change may be committed already: whatever is wrong with the value, the caller
	// must not take it for a failure of the change
	private static CacheWrite.@Nullable NewValue valueOrRemoval(CacheKey key,
			Function<@Nullable Object, CacheWrite.@Nullable NewValue> value, @Nullable Object result) {
		try {
			return value.apply(result);
		}
		catch (RuntimeException ex) {
			logger.warn("A value for cache '" + key.cache() + "' could not be made, its entry is removed: "
					+ ex.getMessage());
			return null;
		}
	}

	private CacheWrite newWrite(CacheKey key, TransactionBoundary boundary) {
		return new CacheWrite(key, this.engine.newHandle(), this.definitions.settings(key.cache()).longestTtl(),
				boundary, this.engine.newBudget());
	}

	/**
	 * Makes a value to publish, of the type that the cache is declared with.
	 * @return the value, or {@code null} if the entry is to be removed
	 */
	CacheWrite.@Nullable NewValue newValue(String cache, @Nullable Object value) {
		CacheType type = this.definitions.type(cache);
		if (type == null && value != null) {
			type = this.codec.type(value.getClass());
		}
		return (type != null) ? newValue(cache, type, value) : null;
	}

	private CacheWrite.@Nullable NewValue newValue(String cache, CacheType type, @Nullable Object value) {
		CacheSettings settings = this.definitions.settings(cache);
		Duration ttl = (value != null) ? settings.ttl() : settings.negativeTtl();
		if (ttl.toMillis() <= 0) {
			return null;
		}
		if (value != null && !type.accepts(value)) {
			logger.warn("Cache '" + cache + "' holds " + type.javaType().toCanonical() + ", a "
					+ value.getClass().getName() + " is not stored");
			return null;
		}
		try {
			return new CacheWrite.NewValue(type.write(value), ttl);
		}
		catch (RuntimeException ex) {
			logger.warn(
					"A value of cache '" + cache + "' cannot be written as JSON and is not stored: " + ex.getMessage());
			return null;
		}
	}

	/**
	 * Loads a value or does the work of a writer.
	 */
	@FunctionalInterface
	interface Loader {

		@Nullable Object load() throws Throwable;

	}

}
