/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.List;
import java.util.Map;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Loads values and stores them, on the thread of whoever asks.
 */
final class CacheLoads {

	private final CacheFlights flights;

	private final CacheValues values;

	private final CacheInvalidations invalidations;

	private final GuardEvents events;

	CacheLoads(CacheFlights flights, CacheValues values, CacheInvalidations invalidations, GuardEvents events) {
		this.flights = flights;
		this.values = values;
		this.invalidations = invalidations;
		this.events = events;
	}

	/**
	 * Loads a value without storing it.
	 */
	@Nullable Object load(CacheSource source) throws Throwable {
		long started = System.nanoTime();
		boolean succeeded = false;
		try {
			Object value = source.load();
			succeeded = true;
			return value;
		}
		finally {
			long nanos = System.nanoTime() - started;
			this.events.publish(new CacheEvent.Load(source.key().cache(), succeeded, nanos));
			if (succeeded) {
				this.values.loadTimes().note(source.key().cache(), millis(nanos));
			}
		}
	}

	/**
	 * Loads a value and stores it. The permit is used up or given back, whatever happens.
	 * @param snapshot as of when the database is seen
	 */
	@Nullable Object load(CacheSource source, CacheLookup.Permit permit, Snapshot snapshot, CallBudget budget) throws Throwable {
		long age = snapshot.ageMillis();
		long started = System.nanoTime();
		long stamp = this.invalidations.stamp(source.key().cache(), snapshot);
		boolean loaded = false;
		boolean stored = false;
		try {
			CacheTags tags = source.tags();
			Object value = load(source);
			long took = System.nanoTime() - started;
			loaded = true;
			CacheHeader header = this.values.header(source.key().cache(), millis(took), stamp, tags);
			if (header != null && source.isStorable(value)) {
				CacheWrite.NewValue bytes = this.values.stored(source.key().cache(), source.type(), value, header);
				if (bytes != null) {
					stored = true;
					Waiting.await(this.flights.fill(permit, bytes, age, budget));
				}
			}
			return value;
		}
		finally {
			if (!loaded) {
				this.flights.release(permit, true);
			}
			else if (!stored) {
				this.flights.discard(permit);
			}
		}
	}

	/**
	 * Loads several values in one go, without storing them.
	 */
	Map<CacheKey, @Nullable Object> loadAll(CacheBulkSource source, List<CacheKey> missing) throws Throwable {
		long started = System.nanoTime();
		boolean succeeded = false;
		try {
			Map<CacheKey, @Nullable Object> loaded = source.load(missing);
			succeeded = true;
			return loaded;
		}
		finally {
			this.events.publish(new CacheEvent.Load(source.cache(), succeeded, System.nanoTime() - started));
		}
	}

	/**
	 * Makes what is to be stored of one of several loaded values.
	 * @param stamp the version of invalidations that was known before
	 * @param nanos how long it took to load all of them
	 * @param number how many they are
	 * @return the value, or {@code null} if it is not to be stored
	 */
	CacheWrite.@Nullable NewValue stored(CacheBulkSource source, @Nullable Object value, long stamp, long nanos,
			int number) {
		if (!source.isStorable(value)) {
			return null;
		}
		long each = millis(nanos / number);
		this.values.loadTimes().note(source.cache(), each);
		CacheHeader header = this.values.header(source.cache(), each, stamp, null);
		return (header != null) ? this.values.stored(source.cache(), source.type(), value, header) : null;
	}

	private static long millis(long nanos) {
		return nanos / 1_000_000 + 1;
	}

}
