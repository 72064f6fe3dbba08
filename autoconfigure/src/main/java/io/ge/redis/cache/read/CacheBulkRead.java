/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.codec.CacheHeader;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheBatch;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.near.NearToken;
import io.ge.redis.cache.near.NearValue;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One caller's reading of several values: takes what is there, and tells what is to be
 * loaded, which a {@link CacheBulkLoad} does in one go; then what others load is waited
 * for, and taken or loaded. Nothing here blocks; whoever wants to waits for the stages.
 * <p>
 * Its steps follow one another. It may be closed while one is under way, by a caller that
 * has gone, and is so when that one is over.
 */
final class CacheBulkRead {

	private final CacheBulkSource source;

	private final CacheBulkParts parts;

	private final CacheSettings settings;

	private final CallBudget budget;

	private final Map<CacheKey, @Nullable Object> values = new HashMap<>();

	/** Keys whose values in Redis cannot be read. */
	private final Set<CacheKey> unreadable = new HashSet<>();

	/** Keys whose values in Redis were invalidated. */
	private final Set<CacheKey> outdated = new HashSet<>();

	private final Map<CacheKey, NearToken> tokens = new HashMap<>();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final AtomicReference<State> state = new AtomicReference<>(State.RESTING);

	private List<CacheKey> passing = List.of();

	private @Nullable CacheBatch batch;

	CacheBulkRead(CacheBulkSource source, CacheBulkParts parts) {
		this.source = source;
		this.parts = parts;
		this.settings = parts.definitions().settings(source.cache());
		this.budget = parts.flights().newBudget();
	}

	CacheBulkSource source() {
		return this.source;
	}

	CacheBulkParts parts() {
		return this.parts;
	}

	CacheSettings settings() {
		return this.settings;
	}

	CallBudget budget() {
		return this.budget;
	}

	/**
	 * Begins: takes what is in memory, and asks for the rest.
	 * @param passes for which entries the cache is passed by
	 * @return completes with what was found, perhaps on a thread of the driver
	 */
	CompletableFuture<Looked> begin(Predicate<CacheKey> passes) {
		List<CacheKey> rest = new ArrayList<>();
		List<CacheKey> passed = new ArrayList<>();
		for (CacheKey key : this.source.keys()) {
			boolean passing = passes.test(key);
			NearValue held = passing ? null : this.parts.near().find(key, this.source.type());
			if (held != null) {
				this.values.put(key, held.value());
				continue;
			}
			rest.add(key);
			if (passing) {
				passed.add(key);
			}
		}
		if (rest.isEmpty()) {
			return CompletableFuture.completedFuture(Looked.NOTHING);
		}
		CompletableFuture<Boolean> judged = this.parts.invalidations().isDue(this.source.cache())
				? CompletableFuture.completedFuture(false) : ready(this.budget);
		return judged.thenCompose((certain) -> {
			this.passing = certain ? passed : rest;
			List<CacheKey> asked = new ArrayList<>(rest);
			asked.removeAll(new HashSet<>(this.passing));
			return ask(asked);
		});
	}

	private CompletableFuture<Looked> ask(List<CacheKey> keys) {
		if (keys.isEmpty()) {
			return CompletableFuture.completedFuture(Looked.NOTHING);
		}
		CacheBatch asked = this.parts.flights().batch(keys, this.settings, this.source.type().readable(), this.budget);
		this.batch = asked;
		keys.forEach(this::beginKeeping);
		return look(asked);
	}

	private void beginKeeping(CacheKey key) {
		NearToken token = this.parts.near().begin(key);
		if (token != null) {
			this.tokens.put(key, token);
		}
	}

	private CompletableFuture<Looked> look(CacheBatch asked) {
		// Once more, since what is known has grown older for whoever has waited
		return asked.look()
			.thenCompose((decided) -> decided.isEmpty() ? CompletableFuture.completedFuture(Looked.NOTHING)
					: ready(this.budget).thenApply((judged) -> new Looked(decided, judged)));
	}

	/**
	 * Completes when what is known of invalidations is not too old to be relied on, with
	 * whether it is not.
	 */
	CompletableFuture<Boolean> ready(CallBudget bounds) {
		return this.parts.invalidations().ready(this.source.cache(), bounds).handle((none, failure) -> failure == null);
	}

	/**
	 * Goes on: waits for what others load, and asks for it.
	 * @return completes with what was found, perhaps on a thread of the driver
	 */
	CompletableFuture<Looked> goOn() {
		CacheBatch asked = this.batch;
		if (asked == null) {
			return CompletableFuture.completedFuture(Looked.NOTHING);
		}
		return CompletableFuture.anyOf(asked.settled(), this.gone)
			.thenCompose(
					(none) -> this.gone.isDone() ? CompletableFuture.completedFuture(Looked.NOTHING) : look(asked));
	}

	/**
	 * Takes what was found.
	 * @param snapshot as of when the caller sees the database
	 * @return what the caller loads now, or {@code null} if there is nothing to load
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	@Nullable CacheBulkLoad take(Looked looked, Snapshot snapshot) {
		Map<CacheKey, Load> open = new LinkedHashMap<>();
		boolean taken = false;
		try {
			this.passing.forEach((key) -> open.put(key, Load.BYPASS));
			this.passing = List.of();
			take(looked, open);
			CacheBulkLoad load = open.isEmpty() ? null : new CacheBulkLoad(this, open, snapshot);
			taken = true;
			return load;
		}
		finally {
			if (!taken) {
				giveBack(looked, true);
			}
		}
	}

	private void take(Looked looked, Map<CacheKey, Load> open) {
		boolean late = false;
		for (Map.Entry<CacheKey, CacheLookup> entry : looked.decided().entrySet()) {
			CacheKey key = entry.getKey();
			CacheLookup lookup = entry.getValue();
			if (lookup instanceof Load load) {
				open.put(key, this.unreadable.contains(key) ? replacing(key, load) : load);
			}
			else if (lookup instanceof CacheLookup.Late) {
				tell(Access.MISS);
				late = true;
			}
			else if (!looked.judged()) {
				open.put(key, Load.BYPASS);
			}
			else if (!takeContent(key, lookup)) {
				if (this.unreadable.add(key) && this.batch != null) {
					this.batch.replace(key);
				}
				else {
					open.put(key, replacing(key, Load.UNSTORED));
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
		byte[] bytes = CacheSearch.entry(lookup);
		CacheType.Content content = this.source.type().read(bytes);
		if (content == null) {
			return false;
		}
		if (isOutdated(bytes)) {
			this.outdated.add(key);
			return false;
		}
		this.values.put(key, content.value());
		this.parts.near().keep(this.tokens.get(key), lookup, this.source.type(), content);
		tell((lookup instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
		return true;
	}

	/**
	 * Reads values that have expired.
	 */
	CacheType.@Nullable Content content(byte[] entry) {
		return isOutdated(entry) ? null : this.source.type().read(entry);
	}

	private boolean isOutdated(byte[] entry) {
		CacheHeader header = this.source.type().header(entry);
		return header != null
				&& this.parts.invalidations().isOutdated(this.source.cache(), header.stamp(), header.tags());
	}

	private void tell(Access access) {
		this.parts.tell(this.source.cache(), access);
	}

	/**
	 * Takes what the caller has loaded, or what stands in for that.
	 */
	void put(Map<CacheKey, @Nullable Object> loaded) {
		this.values.putAll(loaded);
	}

	/**
	 * Notes that the caller has not waited for a time, but loaded.
	 */
	void loaded(long nanos) {
		if (this.batch != null) {
			this.batch.loaded(nanos);
		}
	}

	/**
	 * Returns whether nothing is to be waited for any more.
	 */
	boolean isDone() {
		return this.batch == null || this.batch.isDone();
	}

	/**
	 * Returns what the caller gets, when that is so.
	 */
	Object result() {
		return this.source.result(this.values);
	}

	/**
	 * Gives back what was found for a caller that does not take it.
	 * @param failed whether that is no choice of the caller
	 */
	void giveBack(Looked looked, boolean failed) {
		looked.decided().values().forEach((lookup) -> {
			if (lookup instanceof Load load && load.permit() != null) {
				this.parts.flights().release(load.permit(), failed);
			}
		});
	}

	/**
	 * Enters a step.
	 * @return whether the reading is not closed
	 */
	boolean enter() {
		return this.state.compareAndSet(State.RESTING, State.UNDER_WAY);
	}

	/**
	 * Leaves a step.
	 */
	void leave() {
		State last = this.state.getAndUpdate((now) -> (now == State.CLOSING) ? State.CLOSED : State.RESTING);
		if (last == State.CLOSING) {
			end();
		}
	}

	/**
	 * Gives up what is open, now or at the end of the step that is under way. May be
	 * repeated.
	 */
	void close() {
		State last = this.state.getAndUpdate((now) -> switch (now) {
			case RESTING -> State.CLOSED;
			case UNDER_WAY -> State.CLOSING;
			case CLOSING, CLOSED -> now;
		});
		this.gone.complete(null);
		if (last == State.RESTING) {
			end();
		}
	}

	private void end() {
		this.tokens.values().forEach(NearToken::close);
		if (this.batch != null) {
			this.batch.close();
		}
	}

	private enum State {

		/** No step is under way. */
		RESTING,

		/** One is. */
		UNDER_WAY,

		/** One is, at whose end what is open is given up. */
		CLOSING,

		/** Open loads are given up. */
		CLOSED

	}

	/**
	 * The results for some of the entries.
	 *
	 * @param decided what was found. Permits among it must be used or given back
	 * @param judged whether it is known what was invalidated
	 */
	record Looked(Map<CacheKey, CacheLookup> decided, boolean judged) {

		static final Looked NOTHING = new Looked(Map.of(), true);

	}

}
