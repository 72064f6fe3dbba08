/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Reads for callers that load by themselves: they ask for a value, and if it is not there
 * they get a lease, by which they store what they have loaded since. As
 * {@link CacheReader}, in two halves, asynchronously and without blocking.
 */
final class SplitReader {

	private final CacheRegistry definitions;

	private final CacheFlights flights;

	private final CacheSearch search;

	private final CacheValues values;

	private final CacheInvalidations invalidations;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	private final NearReader near;

	private final WriteBehind behind;

	SplitReader(CacheRegistry definitions, CacheFlights flights, CacheSearch search, CacheValues values,
			CacheInvalidations invalidations, CacheTransactions transactions, GuardEvents events, NearReader near,
			WriteBehind behind) {
		this.definitions = definitions;
		this.flights = flights;
		this.search = search;
		this.values = values;
		this.invalidations = invalidations;
		this.transactions = transactions;
		this.events = events;
		this.near = near;
		this.behind = behind;
	}

	/**
	 * Asks for a value, in the transaction of the current thread. Nobody waits for the
	 * caller, which may never say how its load has ended.
	 * @return completes with what there is, perhaps on a thread of the driver
	 */
	CompletableFuture<SplitRead> read(CacheKey key, CacheType type) {
		NearValue held = this.near.peek(key, type);
		if (held != null) {
			return CompletableFuture
				.completedFuture(new SplitRead.Found(held.value(), Access.HIT, CacheEvent.Tier.NEAR));
		}
		CacheSettings settings = this.definitions.settings(key.cache());
		if (this.invalidations.isDue(key.cache()) || this.transactions.isWriting(key)
				|| this.transactions.isLoading(key)) {
			return CompletableFuture.completedFuture(bypassed(key, type, CacheLookup.Load.BYPASS));
		}
		Snapshot snapshot = this.transactions.snapshot();
		CacheQuestion question = new CacheQuestion(key, settings, type.readable(), false, false).opened();
		CallBudget budget = this.flights.newBudget();
		NearToken token = this.near.begin(key);
		return this.search.look(question, budget)
			.thenCompose((lookup) -> first(lookup, question, type, snapshot, budget, token))
			.whenComplete((read, failure) -> NearReader.end(token))
			.thenCompose((read) -> pendingFirst(key, read));
	}

	private CompletableFuture<SplitRead> first(CacheLookup lookup, CacheQuestion question, CacheType type,
			Snapshot snapshot, CallBudget budget, @Nullable NearToken token) {
		CacheType.Content content = this.search.content(question.key(), type, CacheSearch.entry(lookup));
		if (content != null) {
			this.near.keep(token, lookup, type, content);
		}
		if (content != null || !CacheSearch.isEntry(lookup)) {
			return CompletableFuture.completedFuture(read(lookup, content, question.key(), type, snapshot));
		}
		boolean unreadable = !this.search.isOutdated(question.key(), type, CacheSearch.entry(lookup));
		return this.search.look(question.replacing(), budget)
			.thenApply((second) -> second(second, question.key(), type, snapshot, unreadable));
	}

	private SplitRead second(CacheLookup lookup, CacheKey key, CacheType type, Snapshot snapshot, boolean unreadable) {
		CacheType.Content content = this.search.content(key, type, CacheSearch.entry(lookup));
		if (content != null || lookup instanceof CacheLookup.Late) {
			return read(lookup, content, key, type, snapshot);
		}
		return read(CacheSearch.replaceable(lookup, unreadable), null, key, type, snapshot);
	}

	private SplitRead read(CacheLookup lookup, CacheType.@Nullable Content content, CacheKey key, CacheType type,
			Snapshot snapshot) {
		if (lookup instanceof CacheLookup.Late) {
			return new SplitRead.Late();
		}
		if (lookup instanceof CacheLookup.Load load) {
			if (load.replacing()) {
				this.events.publish(new CacheEvent.Unreadable(key.cache()));
			}
			return new SplitRead.Missed(new SplitMiss(key, type, load, snapshot.ageMillis(),
					this.invalidations.stamp(key.cache(), snapshot)));
		}
		Object value = (content != null) ? content.value() : null;
		Access access = (lookup instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT;
		return new SplitRead.Found(value, access, CacheEvent.Tier.REDIS);
	}

	private static SplitRead bypassed(CacheKey key, CacheType type, CacheLookup.Load load) {
		return new SplitRead.Missed(new SplitMiss(key, type, load, -1, CacheInvalidations.UNSTAMPABLE));
	}

	// Where a change waits for the store, the database is older
	private CompletableFuture<SplitRead> pendingFirst(CacheKey key, SplitRead read) {
		if (!(read instanceof SplitRead.Missed missed) || !this.behind.isBehind(key.cache())) {
			return CompletableFuture.completedFuture(read);
		}
		SplitMiss miss = missed.miss();
		return this.behind.pending(key.cache(), key.parts())
			.thenCompose(
					(change) -> change.isPresent() ? changed(miss, change) : CompletableFuture.completedFuture(read))
			.exceptionally((failure) -> {
				// The database is what is left. It may be older than a change
				giveBack(miss);
				return read;
			});
	}

	private CompletableFuture<SplitRead> changed(SplitMiss miss, PendingChange change) {
		Object value = this.behind.value(change, miss.type().javaType());
		return fill(miss, value)
			.thenApply((filled) -> new SplitRead.Found(value, miss.access(), CacheEvent.Tier.REDIS));
	}

	/**
	 * Stores what was loaded, if the lease allows it still. The lease is used up or given
	 * back, whatever happens.
	 * @return completes with whether it was stored, perhaps on a thread of the driver
	 * @throws UncacheableValueException if no value of the kind can be stored
	 */
	CompletableFuture<Boolean> fill(SplitMiss miss, @Nullable Object value) {
		boolean made = false;
		try {
			CacheWrite.NewValue bytes = miss.isGranted() ? bytes(miss, value) : null;
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
	CacheWrite.@Nullable NewValue bytes(SplitMiss miss, @Nullable Object value) {
		String cache = miss.key().cache();
		CacheHeader header = this.values.header(cache, millis(miss), miss.stamp(), null);
		return (header != null) ? this.values.stored(cache, miss.type(), value, header) : null;
	}

	/**
	 * Stores what was made of a value, as {@link #fill}.
	 */
	CompletableFuture<Boolean> store(SplitMiss miss, CacheWrite.@Nullable NewValue bytes) {
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

	private static long millis(SplitMiss miss) {
		return miss.loadNanos() / 1_000_000 + 1;
	}

	/**
	 * Gives a lease back, if there still is one.
	 */
	void giveBack(SplitMiss miss) {
		CacheLookup.Permit permit = miss.spend();
		if (permit != null) {
			this.flights.release(permit, false);
		}
	}

	/**
	 * Gives a lease back whose value was loaded and is not to be stored.
	 */
	void discard(SplitMiss miss) {
		CacheLookup.Permit permit = miss.spend();
		if (permit != null) {
			this.flights.discard(permit);
		}
	}

	/**
	 * Publishes the result of a read.
	 */
	void tell(CacheKey key, Access access, CacheEvent.Tier tier) {
		this.events.publish(new CacheEvent.Read(key.cache(), access, tier));
	}

	/**
	 * Publishes a load, once for each miss.
	 */
	void loaded(SplitMiss miss) {
		if (miss.isUnloaded()) {
			this.events.publish(new CacheEvent.Load(miss.key().cache(), true, miss.loadNanos()));
			this.values.loadTimes().note(miss.key().cache(), millis(miss));
		}
	}

}
