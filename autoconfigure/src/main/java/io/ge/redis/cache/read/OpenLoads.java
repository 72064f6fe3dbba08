/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.UncacheableValueException;
import io.ge.redis.cache.codec.CacheHeader;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheValues;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * Ends the loads of callers that load by themselves, as {@link CacheLoad} does those of
 * others: by the lease of their miss, asynchronously and without blocking.
 */
public final class OpenLoads {

	private final CacheFlights flights;

	private final CacheValues values;

	private final GuardEvents events;

	public OpenLoads(CacheFlights flights, CacheValues values, GuardEvents events) {
		this.flights = flights;
		this.values = values;
		this.events = events;
	}

	/**
	 * Stores what was loaded, if the lease allows it still. The lease is used up or given
	 * back, whatever happens.
	 * @return completes with whether it was stored, perhaps on a thread of the driver
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	public CompletableFuture<Boolean> fill(OpenMiss miss, @Nullable Object value) {
		boolean made = false;
		try {
			NewValue bytes = miss.isGranted() ? bytes(miss, value) : null;
			made = true;
			return store(miss, bytes);
		}
		finally {
			if (!made) {
				discard(miss);
			}
		}
	}

	/**
	 * Makes what is stored of a value that was loaded.
	 * @return the value, or {@code null} if it is not to be stored
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	public @Nullable NewValue bytes(OpenMiss miss, @Nullable Object value) {
		String cache = miss.key().cache();
		CacheHeader header = this.values.header(cache, millis(miss), miss.stamp(), null);
		return (header != null) ? this.values.stored(cache, miss.type(), value, header) : null;
	}

	/**
	 * Stores what was made of a value, as {@link #fill}.
	 */
	public CompletableFuture<Boolean> store(OpenMiss miss, @Nullable NewValue bytes) {
		CacheLookup.Permit permit = miss.spend();
		if (permit == null) {
			return CompletableFuture.completedFuture(false);
		}
		if (bytes == null) {
			this.flights.discard(permit);
			return CompletableFuture.completedFuture(false);
		}
		return this.flights.fill(permit, bytes, miss.age(), this.flights.newBudget());
	}

	private static long millis(OpenMiss miss) {
		return miss.loadNanos() / 1_000_000 + 1;
	}

	/**
	 * Gives a lease back, if there still is one.
	 */
	public void giveBack(OpenMiss miss) {
		CacheLookup.Permit permit = miss.spend();
		if (permit != null) {
			this.flights.release(permit, false);
		}
	}

	/**
	 * Gives a lease back whose value was loaded and is not to be stored.
	 */
	void discard(OpenMiss miss) {
		CacheLookup.Permit permit = miss.spend();
		if (permit != null) {
			this.flights.discard(permit);
		}
	}

	/**
	 * Publishes a load, once for each miss.
	 */
	public void loaded(OpenMiss miss) {
		if (miss.isUnloaded()) {
			this.events.publish(new CacheEvent.Load(miss.key().cache(), true, miss.loadNanos()));
			this.values.loadTimes().note(miss.key().cache(), millis(miss));
		}
	}

}
