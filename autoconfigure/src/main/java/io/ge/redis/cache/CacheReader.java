/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Reads through the caches for synchronous callers: waits for the flights, loads on the
 * thread of the caller, in its transaction, and tells there what it found.
 */
final class CacheReader {

	private final CacheDefinitions definitions;

	private final CacheFlights flights;

	private final CacheSearch search;

	private final CacheLoads loads;

	private final CacheRefresher refresher;

	private final CacheInvalidations invalidations;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	private final NearReader near;

	private final WriteBehind behind;

	CacheReader(CacheDefinitions definitions, CacheFlights flights, CacheSearch search, CacheLoads loads,
			CacheRefresher refresher, CacheInvalidations invalidations, CacheTransactions transactions,
			GuardEvents events, NearReader near, WriteBehind behind) {
		this.definitions = definitions;
		this.flights = flights;
		this.search = search;
		this.loads = loads;
		this.refresher = refresher;
		this.invalidations = invalidations;
		this.transactions = transactions;
		this.events = events;
		this.near = near;
		this.behind = behind;
	}

	/**
	 * Returns a value from the cache, or loads it.
	 * @throws Throwable what the source throws
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	@Nullable Object read(CacheSource database) throws Throwable {
		NearValue held = this.near.find(database);
		if (held != null) {
			return held.value();
		}
		CacheKey key = database.key();
		CacheSource source = this.behind.isBehind(key.cache()) ? new PendingFirst(this.behind, database) : database;
		if (this.invalidations.isDue(key.cache()) || this.transactions.isWriting(key)
				|| !this.transactions.beginLoad(key)) {
			tell(key, Access.BYPASS);
			return this.loads.load(source, null, Snapshot.NONE, this.flights.newBudget());
		}
		NearToken token = this.near.begin(key);
		try {
			return look(source, token);
		}
		finally {
			NearReader.end(token);
			this.transactions.endLoad();
		}
	}

	/**
	 * Returns a value that is in memory, for a reader that says nothing of tags.
	 * @return the value, or {@code null} to {@link #read} it
	 */
	@Nullable NearValue inMemory(CacheKey key, CacheType type) {
		return this.near.find(key, type);
	}

	/**
	 * Returns several values from the cache, or loads those that are not there.
	 * @return a value for each key, {@code null} for absence
	 * @throws Throwable as {@link #read}
	 */
	Map<CacheKey, @Nullable Object> readAll(CacheBulkSource database) throws Throwable {
		CacheBulkSource source = this.behind.isBehind(database.cache())
				? new PendingFirstForSeveral(this.behind, database) : database;
		Map<CacheKey, @Nullable Object> held = new HashMap<>();
		List<CacheKey> asked = new ArrayList<>();
		for (CacheKey key : source.keys()) {
			NearValue value = this.near.find(key, source.type());
			if (value != null) {
				held.put(key, value.value());
			}
			else {
				asked.add(key);
			}
		}
		if (!asked.isEmpty()) {
			held.putAll(readAll(source, asked));
		}
		return held;
	}

	private Map<CacheKey, @Nullable Object> readAll(CacheBulkSource source, List<CacheKey> keys) throws Throwable {
		List<CacheKey> passing = new ArrayList<>();
		List<CacheKey> entered = new ArrayList<>();
		CallBudget budget = this.flights.newBudget();
		boolean unjudged = this.invalidations.isDue(source.cache())
				|| !this.invalidations.awaitReady(source.cache(), budget);
		try {
			for (CacheKey key : keys) {
				boolean passes = unjudged || this.transactions.isWriting(key) || !this.transactions.beginLoad(key);
				(passes ? passing : entered).add(key);
			}
			try (CacheBulkRead read = new CacheBulkRead(source, this.flights, this.loads, this.invalidations,
					this.transactions, this.events, this.near, budget)) {
				return read.go(entered, passing, this.definitions.settings(source.cache()));
			}
		}
		finally {
			entered.forEach((key) -> this.transactions.endLoad());
		}
	}

	private @Nullable Object look(CacheSource source, @Nullable NearToken token) throws Throwable {
		CacheKey key = source.key();
		CallBudget budget = this.flights.newBudget();
		CacheQuestion question = new CacheQuestion(key, this.definitions.settings(key.cache()),
				source.type().readable(), false,
				!this.refresher.isBusy() && !this.transactions.snapshot().transactional());
		CacheLookup lookup = Waiting.await(this.search.look(question, budget));
		if (lookup instanceof CacheLookup.Load load) {
			NearReader.end(token);
			return load(source, load, budget);
		}
		requireInTime(key, lookup);
		CacheType.Content content = this.search.content(source, CacheSearch.entry(lookup));
		if (content == null) {
			boolean unreadable = !this.search.isOutdated(source, CacheSearch.entry(lookup));
			lookup = Waiting.await(this.search.look(question.replacing(), budget));
			requireInTime(key, lookup);
			content = this.search.content(source, CacheSearch.entry(lookup));
			if (content == null) {
				NearReader.end(token);
				return load(source, CacheSearch.replaceable(lookup, unreadable), budget);
			}
		}
		this.near.keep(token, lookup, source.type(), content);
		if (lookup instanceof CacheLookup.Found found && found.refresh() != null) {
			this.refresher.refresh(source, found.refresh());
		}
		tell(key, (lookup instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
		return content.value();
	}

	private void requireInTime(CacheKey key, CacheLookup lookup) {
		if (lookup instanceof CacheLookup.Late) {
			tell(key, Access.MISS);
			throw new CacheLoadTimeoutException(key.cache());
		}
	}

	private @Nullable Object load(CacheSource source, CacheLookup.Load load, CallBudget budget) throws Throwable {
		CacheKey key = source.key();
		if (load.replacing()) {
			this.events.publish(new CacheEvent.Unreadable(key.cache()));
		}
		byte @Nullable [] kept = load.expired();
		if (kept == null) {
			tell(key, load.bypassed() ? Access.BYPASS : Access.MISS);
			return load(source, load.permit(), budget);
		}
		try {
			Object value = load(source, load.permit(), budget);
			tell(key, load.bypassed() ? Access.BYPASS : Access.MISS);
			return value;
		}
		catch (UncacheableValueException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			if (ex instanceof InterruptedException) {
				throw ex;
			}
			boolean judged = this.invalidations.awaitReady(key.cache(), this.flights.newBudget());
			CacheType.Content expired = judged ? this.search.content(source, kept) : null;
			tell(key, (expired != null) ? Access.STALE : Access.MISS);
			if (expired == null) {
				throw ex;
			}
			return expired.value();
		}
	}

	private @Nullable Object load(CacheSource source, CacheLookup.@Nullable Permit permit, CallBudget budget)
			throws Throwable {
		return this.loads.load(source, permit, (permit != null) ? this.transactions.snapshot() : Snapshot.NONE, budget);
	}

	private void tell(CacheKey key, Access access) {
		this.events.publish(new CacheEvent.Read(key.cache(), access, CacheEvent.Tier.REDIS));
	}

}
