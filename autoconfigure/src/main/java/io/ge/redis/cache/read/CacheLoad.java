/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.UncacheableValueException;
import io.ge.redis.cache.codec.CacheHeader;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.cache.engine.CacheValues;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * A value that is being loaded, from before that begins until it is stored. The permit is
 * used up or given back at most once: by whatever ends it, or, if the promise of the
 * value is never kept, at the end of the lease.
 */
final class CacheLoad {

	private final CacheSource source;

	private final CacheLookup.@Nullable Permit permit;

	private final CacheFlights flights;

	private final CacheValues values;

	private final GuardEvents events;

	private final CallBudget budget;

	private final long age;

	private final long stamp;

	private final @Nullable CacheTags tags;

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicBoolean spent = new AtomicBoolean();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private volatile long started = System.nanoTime();

	/**
	 * Begins a load. If that fails the permit is given back.
	 * @param permit leave to store the value, or {@code null} if it is not to be stored
	 * @param snapshot as of when the database is seen
	 */
	CacheLoad(CacheSource source, CacheLookup.@Nullable Permit permit, Snapshot snapshot, CallBudget budget,
			CacheFlights flights, CacheValues values, CacheInvalidations invalidations, GuardEvents events) {
		this.source = source;
		this.permit = permit;
		this.flights = flights;
		this.values = values;
		this.events = events;
		this.budget = budget;
		this.age = snapshot.ageMillis();
		this.stamp = invalidations.stamp(source.key().cache(), snapshot);
		boolean tagged = false;
		try {
			this.tags = (permit != null) ? source.tags() : null;
			tagged = true;
		}
		finally {
			if (!tagged) {
				giveBack(true);
			}
		}
	}

	/**
	 * Starts the clock, as the source is about to be asked.
	 */
	void begin() {
		this.started = System.nanoTime();
	}

	/**
	 * Has the permit given back at its end, should nobody have done so by then: Redis has
	 * forgotten it, but others in this instance wait for a value that may never come.
	 */
	void giveBackAtEnd(Duration lease) {
		if (this.permit != null) {
			this.end.completeOnTimeout(null, lease.toMillis(), TimeUnit.MILLISECONDS)
				.thenRunAsync(() -> giveBack(false));
		}
	}

	/**
	 * Ends it with what was loaded, and stores that.
	 * @param value what was loaded
	 * @param certain whether it is not older than a change that waits for the store
	 * @return completes when it is stored, or not to be; never exceptionally
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	CompletableFuture<Boolean> loaded(@Nullable Object value, boolean certain) {
		if (!this.over.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(false);
		}
		String cache = this.source.key().cache();
		CacheLookup.Permit held = spend();
		boolean stored = false;
		try {
			long nanos = System.nanoTime() - this.started;
			this.events.publish(new CacheEvent.Load(cache, true, nanos));
			long millis = CacheLoads.millis(nanos);
			this.values.loadTimes().note(cache, millis);
			NewValue bytes = (held != null && certain) ? bytes(value, millis) : null;
			if (held == null || bytes == null) {
				return CompletableFuture.completedFuture(false);
			}
			stored = true;
			return this.flights.fill(held, bytes, this.age, this.budget);
		}
		finally {
			if (!stored && held != null) {
				this.flights.discard(held);
			}
		}
	}

	private @Nullable NewValue bytes(@Nullable Object value, long millis) {
		String cache = this.source.key().cache();
		CacheHeader header = this.values.header(cache, millis, this.stamp, this.tags);
		return (header != null && this.source.isStorable(value))
				? this.values.stored(cache, this.source.type(), value, header) : null;
	}

	private CacheLookup.@Nullable Permit spend() {
		if (this.permit == null || !this.spent.compareAndSet(false, true)) {
			return null;
		}
		this.end.complete(null);
		return this.permit;
	}

	/**
	 * Ends it without a value.
	 */
	void failed() {
		if (this.over.compareAndSet(false, true)) {
			try {
				this.events
					.publish(new CacheEvent.Load(this.source.key().cache(), false, System.nanoTime() - this.started));
			}
			finally {
				giveBack(true);
			}
		}
	}

	/**
	 * Ends it because nobody wants the value any more: the next one in line may load.
	 */
	void abandoned() {
		if (this.over.compareAndSet(false, true)) {
			giveBack(false);
		}
	}

	private void giveBack(boolean failed) {
		CacheLookup.Permit held = spend();
		if (held != null) {
			this.flights.release(held, failed);
		}
	}

}
