/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.ArrayList;
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

	private final CacheRegistry definitions;

	private final CacheFlights flights;

	private final CacheSearch search;

	private final CacheLoads loads;

	private final CacheRefresher refresher;

	private final CacheInvalidations invalidations;

	private final CacheTransactions transactions;

	private final GuardEvents events;

	private final NearReader near;

	private final WriteBehind behind;

	private final CacheBulkParts bulk;

	CacheReader(CacheRegistry definitions, CacheFlights flights, CacheSearch search, CacheLoads loads,
			CacheRefresher refresher, CacheInvalidations invalidations, CacheTransactions transactions,
			GuardEvents events, NearReader near, WriteBehind behind, CacheBulkParts bulk) {
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
		this.bulk = bulk;
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
	 * @return what the source makes of the values
	 * @throws Throwable as {@link #read}
	 */
	Object readAll(CacheBulkSource source) throws Throwable {
		CacheBulkRead read = new CacheBulkRead(source, this.bulk);
		try {
			CacheBulkRead.Looked looked = Waiting
				.await(read.begin((key) -> this.transactions.isWriting(key) || this.transactions.isLoading(key)));
			while (true) {
				CacheBulkLoad load = read.take(looked, this.transactions.snapshot());
				if (load != null) {
					load(read, load);
				}
				if (read.isDone()) {
					return read.result();
				}
				looked = Waiting.await(read.goOn());
			}
		}
		finally {
			read.close();
		}
	}

	private void load(CacheBulkRead read, CacheBulkLoad load) throws Throwable {
		Object loaded;
		try {
			Waiting.await(load.prepare());
			loaded = load(read.source(), load);
		}
		catch (Throwable ex) {
			load.failed();
			boolean replaceable = load.isReplaceable() && ex instanceof Exception
					&& !(ex instanceof InterruptedException);
			if (!replaceable || !load.replace(Waiting.await(read.ready(this.flights.newBudget())))) {
				throw ex;
			}
			return;
		}
		Waiting.await(load.loaded(loaded, (key) -> true));
	}

	private @Nullable Object load(CacheBulkSource source, CacheBulkLoad load) throws Throwable {
		List<CacheKey> rest = load.begin();
		if (rest.isEmpty()) {
			return Map.of();
		}
		List<CacheKey> entered = new ArrayList<>();
		try {
			for (CacheKey key : load.missing()) {
				if (this.transactions.beginLoad(key)) {
					entered.add(key);
				}
			}
			return source.load(rest);
		}
		finally {
			entered.forEach(this.transactions::endLoad);
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
