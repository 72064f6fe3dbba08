/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheLookup.Load;
import io.ge.redis.cache.CacheLookup.Permit;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Reads several entries for a synchronous caller, on its thread: the steps of
 * {@link CacheBatch}, with what is loaded in between.
 */
final class CacheBulkRead implements AutoCloseable {

	private final CacheBulkSource source;

	private final CacheFlights flights;

	private final CacheLoads loads;

	private final CacheInvalidations invalidations;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	private final NearReader near;

	private final CallBudget budget;

	private final Map<CacheKey, @Nullable Object> values = new HashMap<>();

	private final Map<CacheKey, Load> open = new LinkedHashMap<>();

	/** What Redis has for these cannot be read. */
	private final Set<CacheKey> unreadable = new HashSet<>();

	/** What Redis has for these was invalidated. */
	private final Set<CacheKey> outdated = new HashSet<>();

	private final Map<CacheKey, NearToken> tokens = new HashMap<>();

	private @Nullable CacheBatch batch;

	CacheBulkRead(CacheBulkSource source, CacheFlights flights, CacheLoads loads, CacheInvalidations invalidations,
			CacheTransactions transactions, GuardEvents events, NearReader near, CallBudget budget) {
		this.source = source;
		this.flights = flights;
		this.loads = loads;
		this.invalidations = invalidations;
		this.transactions = transactions;
		this.events = events;
		this.near = near;
		this.budget = budget;
	}

	/**
	 * Reads.
	 * @param keys what to ask the cache for
	 * @param passing what to load past it
	 */
	Map<CacheKey, @Nullable Object> go(List<CacheKey> keys, List<CacheKey> passing, CacheSettings settings)
			throws Throwable {
		CacheBatch asked = this.flights.batch(keys, settings, this.source.type().readable(), this.budget);
		this.batch = asked;
		keys.forEach(this::beginKeeping);
		passing.forEach((key) -> this.open.put(key, Load.BYPASS));
		while (true) {
			take(asked, Waiting.await(asked.look()));
			if (!this.open.isEmpty()) {
				long started = System.nanoTime();
				load(settings);
				asked.loaded(System.nanoTime() - started);
			}
			if (asked.isDone()) {
				return this.values;
			}
			Waiting.await(asked.settled());
		}
	}

	private void beginKeeping(CacheKey key) {
		NearToken token = this.near.begin(key);
		if (token != null) {
			this.tokens.put(key, token);
		}
	}

	private void take(CacheBatch asked, Map<CacheKey, CacheLookup> decided) {
		// First all permits, so that they are given back whatever happens
		decided.forEach((key, lookup) -> {
			if (lookup instanceof Load load) {
				this.open.put(key, this.unreadable.contains(key) ? replacing(key, load) : load);
			}
		});
		boolean late = false;
		boolean judged = this.invalidations.awaitReady(this.source.cache(), this.budget);
		for (Map.Entry<CacheKey, CacheLookup> entry : decided.entrySet()) {
			CacheKey key = entry.getKey();
			CacheLookup lookup = entry.getValue();
			if (lookup instanceof Load) {
				continue;
			}
			if (lookup instanceof CacheLookup.Late) {
				tell(Access.MISS);
				late = true;
			}
			else if (!judged) {
				this.open.put(key, Load.BYPASS);
			}
			else if (!takeContent(key, lookup)) {
				if (this.unreadable.add(key)) {
					asked.replace(key);
				}
				else {
					this.open.put(key, replacing(key, Load.UNSTORED));
				}
			}
		}
		if (late) {
			throw new CacheLoadTimeoutException(this.source.cache());
		}
	}

	private Load replacing(CacheKey key, Load load) {
		return new Load(load.permit(), load.bypassed(), !this.outdated.contains(key), null);
	}

	private boolean takeContent(CacheKey key, CacheLookup lookup) {
		boolean expired = lookup instanceof CacheLookup.Expired;
		byte[] bytes = (lookup instanceof CacheLookup.Expired old) ? old.value() : ((CacheLookup.Found) lookup).value();
		CacheType.Content content = this.source.type().read(bytes);
		if (content == null) {
			return false;
		}
		if (isOutdated(bytes)) {
			this.outdated.add(key);
			return false;
		}
		this.values.put(key, content.value());
		this.near.keep(this.tokens.get(key), lookup, this.source.type(), content);
		tell(expired ? Access.STALE : Access.HIT);
		return true;
	}

	private boolean isOutdated(byte[] entry) {
		CacheHeader header = this.source.type().header(entry);
		return header != null && this.invalidations.isOutdated(this.source.cache(), header.stamp(), header.tags());
	}

	/**
	 * Loads and stores what is open, in one go. Afterwards nothing is held.
	 */
	private void load(CacheSettings settings) throws Throwable {
		Snapshot snapshot = this.transactions.snapshot();
		long age = snapshot.ageMillis();
		List<CacheKey> missing = List.copyOf(this.open.keySet());
		Map<CacheKey, @Nullable Object> expired = expired();
		if (expired.size() < missing.size()) {
			tellMisses();
		}
		long stamp = this.invalidations.stamp(this.source.cache(), snapshot);
		long started = System.nanoTime();
		Map<CacheKey, @Nullable Object> loaded;
		try {
			loaded = this.loads.loadAll(this.source, missing);
		}
		catch (Exception ex) {
			if (expired.size() < missing.size() || ex instanceof InterruptedException) {
				throw ex;
			}
			if (!this.invalidations.awaitReady(this.source.cache(), this.flights.newBudget())
					|| expired().size() < missing.size()) {
				throw ex;
			}
			this.values.putAll(expired);
			expired.keySet().forEach((key) -> tell(Access.STALE));
			release(true);
			return;
		}
		if (expired.size() == missing.size()) {
			tellMisses();
		}
		store(loaded, settings, age, stamp, System.nanoTime() - started);
	}

	/**
	 * Returns the values that have expired and stand in if loading fails. Only if there
	 * is one for every entry they are of use.
	 */
	private Map<CacheKey, @Nullable Object> expired() {
		Map<CacheKey, @Nullable Object> expired = new HashMap<>();
		this.open.forEach((key, load) -> {
			byte[] old = load.expired();
			CacheType.Content content = (old != null && !isOutdated(old)) ? this.source.type().read(old) : null;
			if (content != null) {
				expired.put(key, content.value());
			}
		});
		return expired;
	}

	private void tellMisses() {
		this.open.forEach((key, load) -> {
			if (load.replacing()) {
				this.events.publish(new CacheEvent.Unreadable(this.source.cache()));
			}
			tell(load.bypassed() ? Access.BYPASS : Access.MISS);
		});
	}

	private void store(Map<CacheKey, @Nullable Object> loaded, CacheSettings settings, long age, long stamp,
			long nanos) {
		Map<Permit, CacheWrite.NewValue> stored = new IdentityHashMap<>();
		int number = this.open.size();
		for (CacheKey key : List.copyOf(this.open.keySet())) {
			Object value = loaded.get(key);
			this.values.put(key, value);
			Permit permit = permitOf(key);
			CacheWrite.NewValue bytes = (permit != null) ? this.loads.stored(this.source, value, stamp, nanos, number)
					: null;
			if (permit != null && bytes != null) {
				stored.put(permit, bytes);
			}
			else {
				if (permit != null) {
					this.flights.discard(permit);
				}
				this.open.remove(key);
			}
		}
		this.open.clear();
		if (!stored.isEmpty()) {
			Waiting.await(this.flights.fillAll(stored, settings, age, this.budget));
		}
	}

	private @Nullable Permit permitOf(CacheKey key) {
		Load load = this.open.get(key);
		return (load != null) ? load.permit() : null;
	}

	private void release(boolean failed) {
		for (Load load : new ArrayList<>(this.open.values())) {
			if (load.permit() != null) {
				this.flights.release(load.permit(), failed);
			}
		}
		this.open.clear();
	}

	private void tell(Access access) {
		this.events.publish(new CacheEvent.Read(this.source.cache(), access, CacheEvent.Tier.REDIS));
	}

	/**
	 * Gives back what was not used.
	 */
	@Override
	public void close() {
		release(true);
		this.tokens.values().forEach(NearToken::close);
		if (this.batch != null) {
			this.batch.close();
		}
	}

}
