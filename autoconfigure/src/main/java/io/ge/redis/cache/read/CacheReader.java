/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheQuestion;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.near.NearToken;
import io.ge.redis.cache.near.NearValue;
import io.ge.redis.cache.settings.CacheRegistry;
import io.ge.redis.cache.write.CacheTransactions;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.cache.write.ReactiveCacheTransactions;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Reads through the caches, by the same steps for all forms of results. Nothing here
 * blocks; a caller with a plain result waits, and loads on its thread, in its
 * transaction.
 */
public final class CacheReader {

	/** No change waits for the store. */
	private static final PendingChange NO_CHANGE = new PendingChange(null);

	private final CacheRegistry definitions;

	private final CacheFlights flights;

	private final CacheSearch search;

	private final CacheLoads loads;

	private final CacheRefresher refresher;

	private final CacheInvalidations invalidations;

	private final CacheTransactions transactions;

	private final ReactiveCacheTransactions reactive;

	private final GuardEvents events;

	private final NearReader near;

	private final WriteBehind behind;

	private final GuardedCalls calls;

	public CacheReader(CacheRegistry definitions, CacheFlights flights, CacheSearch search, CacheLoads loads,
			CacheRefresher refresher, CacheInvalidations invalidations, CacheTransactions transactions,
			ReactiveCacheTransactions reactive, GuardEvents events, NearReader near, WriteBehind behind,
			GuardedCalls calls) {
		this.definitions = definitions;
		this.flights = flights;
		this.search = search;
		this.loads = loads;
		this.refresher = refresher;
		this.invalidations = invalidations;
		this.transactions = transactions;
		this.reactive = reactive;
		this.events = events;
		this.near = near;
		this.behind = behind;
		this.calls = calls;
	}

	/**
	 * Returns what a call on this thread begins in.
	 * @param context the context of its subscriber, or {@code null} if there is none
	 */
	CallerScope scope(@Nullable Object context) {
		return new CallerScope(this.transactions, this.reactive, context);
	}

	/**
	 * Returns a value that is in memory, for a reader that says nothing of tags.
	 * @return the value, or {@code null} to {@link #read} it
	 */
	public @Nullable NearValue inMemory(CacheKey key, CacheType type) {
		return this.near.find(key, type);
	}

	/**
	 * Returns a value from the cache, or loads it, in the form of the source.
	 * @throws Throwable what a source of plain values throws
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	public @Nullable Object read(CacheSource source) throws Throwable {
		return this.calls.start(source.form(), () -> new CacheCall((context) -> call(source, context)));
	}

	/**
	 * Makes a call on this thread, which is about to ask.
	 * @param context the context of its subscriber, or {@code null} if there is none
	 */
	public GuardedCall<?> call(CacheSource source, @Nullable Object context) {
		CallerScope scope = scope(context);
		CacheKey key = source.key();
		boolean inside = scope.isWriting(key) || scope.isLoading(key);
		NearValue held = inside ? null : this.near.find(source);
		if (held != null) {
			return GuardedCall.of(() -> source.promises().of(source.promised(held.value())));
		}
		return new Reading(source, scope, inside || this.invalidations.isDue(key.cache()));
	}

	private void tell(CacheKey key, Access access) {
		this.events.publish(new CacheEvent.Read(key.cache(), access, CacheEvent.Tier.REDIS));
	}

	/**
	 * One caller's reading.
	 */
	private final class Reading implements GuardedCall<CacheLookup> {

		private final CacheSource source;

		private final CallerScope scope;

		private final Snapshot snapshot;

		private final CallBudget budget;

		/** What Redis is asked, or nothing. */
		private final @Nullable CacheQuestion question;

		/** Whether it has asked before, and the entry was of no use. */
		private final boolean second;

		/** Whether that could not be read. */
		private final boolean unreadable;

		private @Nullable NearToken token;

		/** What waits for the store, {@code null} if that is not known. */
		private volatile @Nullable PendingChange pending = NO_CHANGE;

		Reading(CacheSource source, CallerScope scope, boolean passing) {
			this.source = source;
			this.scope = scope;
			this.snapshot = scope.snapshot();
			this.budget = CacheReader.this.flights.newBudget();
			CacheKey key = source.key();
			boolean refreshable = !CacheReader.this.refresher.isBusy() && !this.snapshot.transactional();
			this.question = passing ? null : new CacheQuestion(key, CacheReader.this.definitions.settings(key.cache()),
					source.type().readable(), source instanceof OpenSource, refreshable);
			this.second = false;
			this.unreadable = false;
		}

		/**
		 * Creates one that asks once more.
		 */
		private Reading(Reading first, CacheQuestion question, boolean unreadable) {
			this.source = first.source;
			this.scope = first.scope;
			this.snapshot = first.snapshot;
			this.budget = first.budget;
			this.question = question.replacing();
			this.second = true;
			this.unreadable = unreadable;
		}

		private CacheKey key() {
			return this.source.key();
		}

		@Override
		public CompletableFuture<CacheLookup> ask() {
			CompletableFuture<CacheLookup> asked;
			if (this.question != null) {
				this.token = CacheReader.this.near.begin(key());
				asked = CacheReader.this.search.look(this.question, this.budget);
			}
			else {
				asked = CompletableFuture.completedFuture(CacheLookup.Load.BYPASS);
			}
			CompletableFuture<CacheLookup> found = asked.thenCompose(this::pendingFirst);
			if (found.isDone() && !found.isCompletedExceptionally()) {
				return found;
			}
			// Who cancels it does not get what may still come
			CompletableFuture<CacheLookup> told = new CompletableFuture<>();
			found.whenComplete((lookup, failure) -> {
				if (failure != null) {
					NearReader.end(this.token);
					told.completeExceptionally(failure);
				}
				else if (!told.complete(lookup)) {
					giveBack(lookup);
				}
			});
			return told;
		}

		// Where a change waits for the store, the database is older
		private CompletableFuture<CacheLookup> pendingFirst(CacheLookup found) {
			// An entry that is found in the second place may again be of no use
			boolean loads = found instanceof CacheLookup.Load || this.second;
			if (!loads || !CacheReader.this.behind.isBehind(key().cache())) {
				return CompletableFuture.completedFuture(found);
			}
			return CacheReader.this.behind.pending(key().cache(), key().parts()).handle((change, failure) -> {
				this.pending = (failure == null) ? change : null;
				return found;
			});
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public void giveBack(CacheLookup found) {
			NearReader.end(this.token);
			CacheReader.this.search.giveBack(found);
		}

		@Override
		public Work decide(CacheLookup lookup) {
			if (lookup instanceof CacheLookup.Late) {
				NearReader.end(this.token);
				tell(key(), Access.MISS);
				throw new CacheLoadTimeoutException(key().cache());
			}
			CacheSearch search = CacheReader.this.search;
			if (CacheSearch.isEntry(lookup)) {
				byte[] entry = CacheSearch.entry(lookup);
				CacheType.Content content = search.content(this.source, entry);
				if (content != null) {
					return hit(lookup, content);
				}
				if (this.question != null && !this.second) {
					// Whoever goes away now never asks, and so gives no token back
					NearReader.end(this.token);
					Reading again = new Reading(this, this.question, !search.isOutdated(this.source, entry));
					return () -> CacheReader.this.calls.start(this.source.form(), () -> again);
				}
			}
			NearReader.end(this.token);
			CacheLookup.Load load = (lookup instanceof CacheLookup.Load granted) ? granted : CacheLookup.Load.UNSTORED;
			return load(this.second ? CacheSearch.replaceable(lookup, this.unreadable) : load);
		}

		private Work load(CacheLookup.Load load) {
			PendingChange change = this.pending;
			if (!(this.source instanceof OpenSource) || (change != null && change.isPresent())) {
				return new Loading(this, load);
			}
			tell(key(), load.bypassed() ? Access.BYPASS : Access.MISS);
			if (load.replacing()) {
				CacheReader.this.events.publish(new CacheEvent.Unreadable(key().cache()));
			}
			if (change == null) {
				// The database may be older than a change
				CacheReader.this.search.giveBack(load);
			}
			OpenMiss miss = new OpenMiss(key(), this.source.type(), (change != null) ? load : CacheLookup.Load.UNSTORED,
					this.snapshot.ageMillis(), CacheReader.this.invalidations.stamp(key().cache(), this.snapshot));
			return () -> this.source.promises().of(miss);
		}

		private Work hit(CacheLookup lookup, CacheType.Content content) {
			CacheReader.this.near.keep(this.token, lookup, this.source.type(), content);
			NearReader.end(this.token);
			if (lookup instanceof CacheLookup.Found fresh && fresh.refresh() != null) {
				boolean changing = CacheReader.this.behind.isBehind(key().cache());
				CacheReader.this.refresher.refresh(
						changing ? new PendingFirst(CacheReader.this.behind, this.source) : this.source,
						fresh.refresh(), this.scope.context());
			}
			tell(key(), (lookup instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
			Object value = this.source.promised(content.value());
			return () -> this.source.promises().of(value);
		}

	}

	/**
	 * Loads a value, and stores it if there is a permit.
	 */
	private final class Loading implements GuardedCall.Work {

		private final CacheSource source;

		private final Reading reading;

		private final CacheLookup.Load granted;

		private final CacheLoad load;

		/** Whether what is loaded is not older than a change that waits for the store. */
		private volatile boolean certain;

		private volatile boolean told;

		private volatile @Nullable Thread entered;

		Loading(Reading reading, CacheLookup.Load granted) {
			this.reading = reading;
			this.granted = granted;
			CacheLookup.Permit permit = granted.permit();
			this.source = reading.source;
			this.certain = reading.pending != null;
			this.load = CacheReader.this.loads.begin(this.source, permit,
					(permit != null) ? reading.snapshot : Snapshot.NONE, reading.budget);
			if (!this.source.form().isPlain()) {
				this.load.giveBackAtEnd(CacheReader.this.definitions.settings(this.source.key().cache()).leaseTime());
			}
			if (granted.replacing()) {
				CacheReader.this.events.publish(new CacheEvent.Unreadable(this.source.key().cache()));
			}
			if (granted.expired() == null) {
				tellLoad();
			}
		}

		private void tellLoad() {
			this.told = true;
			tell(this.source.key(), this.granted.bypassed() ? Access.BYPASS : Access.MISS);
		}

		@Override
		public void begin(GuardedCall.Beginning beginning) throws Throwable {
			if (CacheReader.this.transactions.beginLoad(this.source.key())) {
				this.entered = Thread.currentThread();
			}
			try {
				beginning.run();
			}
			finally {
				leave();
			}
		}

		// Also at the end, which may come while it begins: whoever has the value then is
		// outside
		private void leave() {
			if (this.entered == Thread.currentThread()) {
				this.entered = null;
				CacheReader.this.transactions.endLoad(this.source.key());
			}
		}

		@Override
		public Object contextual(Object context) {
			return CallerScope.loading(context, this.source.key());
		}

		@Override
		public @Nullable Object start() throws Throwable {
			this.load.begin();
			PendingChange change = this.reading.pending;
			if (change != null && change.isPresent()) {
				try {
					Object waiting = CacheReader.this.behind.value(change, this.source.type().javaType());
					return this.source.promises().of(this.source.promised(waiting));
				}
				catch (RuntimeException | StackOverflowError | LinkageError ex) {
					// The database is what is left
					this.certain = false;
				}
			}
			byte[] expired = this.granted.expired();
			return (expired != null)
					? this.source.promises().recovered(this.source::load, (failure) -> instead(expired, failure))
					: this.source.load();
		}

		/**
		 * Returns the value that has expired, since no other one could be loaded.
		 */
		private CompletableFuture<@Nullable Object> instead(byte[] expired, Throwable failure) {
			if (failure instanceof Error || failure instanceof CancellationException
					|| failure instanceof InterruptedException) {
				return CompletableFuture.failedFuture(failure);
			}
			this.load.failed();
			CompletableFuture<Void> ready = CacheReader.this.invalidations.ready(this.source.key().cache(),
					CacheReader.this.flights.newBudget());
			return CacheReader.this.calls.handOver(ready.handle((none, problem) -> problem == null),
					(judged) -> content(judged, expired), (judged) -> {
					})
				.toCompletableFuture()
				.thenCompose((content) -> (content != null)
						? CompletableFuture.completedFuture(this.source.promised(content.value()))
						: CompletableFuture.failedFuture(failure));
		}

		private CacheType.@Nullable Content content(boolean judged, byte[] expired) {
			CacheType.Content content = judged ? CacheReader.this.search.content(this.source, expired) : null;
			this.told = true;
			tell(this.source.key(), (content != null) ? Access.STALE : Access.MISS);
			return content;
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			leave();
			if (failure == null) {
				if (!this.told) {
					tellLoad();
				}
				// In one transaction a writer may have begun meanwhile, whose row is not
				// committed
				boolean storable = this.certain && !this.reading.scope.isWriting(this.source.key());
				CompletableFuture<Boolean> stored = this.load.loaded(this.source.plain(value), storable);
				return stored.isDone() ? DONE : stored;
			}
			if (failure instanceof CancellationException) {
				this.load.abandoned();
			}
			else {
				this.load.failed();
			}
			return DONE;
		}

	}

}
