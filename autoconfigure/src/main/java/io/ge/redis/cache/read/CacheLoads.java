/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import io.ge.redis.cache.codec.CacheHeader;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheValues;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Loads values and stores them.
 */
public final class CacheLoads {

	private final CacheFlights flights;

	private final CacheValues values;

	private final CacheInvalidations invalidations;

	private final GuardEvents events;

	public CacheLoads(CacheFlights flights, CacheValues values, CacheInvalidations invalidations, GuardEvents events) {
		this.flights = flights;
		this.values = values;
		this.invalidations = invalidations;
		this.events = events;
	}

	/**
	 * Begins to load a value. If that fails the permit is given back.
	 * @param permit leave to store the value, or {@code null} if it is not to be stored
	 * @param snapshot as of when the database is seen
	 */
	CacheLoad begin(CacheSource source, CacheLookup.@Nullable Permit permit, Snapshot snapshot, CallBudget budget) {
		return new CacheLoad(source, permit, snapshot, budget, this.flights, this.values, this.invalidations,
				this.events);
	}

	/**
	 * Makes what is to be stored of one of several loaded values.
	 * @param stamp the version of invalidations that was known before
	 * @param nanos how long it took to load all of them
	 * @param number how many they are
	 * @return the value, or {@code null} if it is not to be stored
	 */
	@Nullable NewValue stored(CacheBulkSource source, @Nullable Object value, long stamp, long nanos, int number) {
		if (!source.isStorable(value)) {
			return null;
		}
		long each = millis(nanos / number);
		this.values.loadTimes().note(source.cache(), each);
		CacheHeader header = this.values.header(source.cache(), each, stamp, null);
		return (header != null) ? this.values.stored(source.cache(), source.type(), value, header) : null;
	}

	static long millis(long nanos) {
		return nanos / 1_000_000 + 1;
	}

}
