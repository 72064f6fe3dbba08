/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Reads through the caches for callers whose values come later, by the same steps as
 * {@link CacheReader}: nothing here blocks.
 */
final class LaterReader {

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

	LaterReader(CacheRegistry definitions, CacheFlights flights, CacheSearch search, CacheLoads loads,
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
	LaterScope scope(@Nullable Object context) {
		return new LaterScope(this.transactions, this.reactive, context);
	}

	/**
	 * Asks for a value.
	 * @return completes with what was found, perhaps on a thread of the driver; may be
	 * cancelled
	 */
	CompletableFuture<@Nullable LaterLookup> ask(LaterSource source, LaterScope scope) {
		CacheKey key = source.key();
		boolean writing = scope.isWriting(key);
		boolean loading = scope.isLoading(key);
		NearValue held = (writing || loading) ? null : this.near.find(source);
		Snapshot snapshot = scope.snapshot();
		CallBudget budget = this.flights.newBudget();
		boolean passing = writing || loading || this.invalidations.isDue(key.cache());
		NearToken token = (passing || held != null) ? null : this.near.begin(key);
		boolean refreshable = !this.refresher.isBusy() && !snapshot.transactional();
		CacheQuestion question = passing ? null : new CacheQuestion(key, this.definitions.settings(key.cache()),
				source.type().readable(), false, refreshable);
		LaterLookup begun = new LaterLookup(source, scope, snapshot, budget, token, question, CacheLookup.Load.BYPASS,
				held, false, false, LaterLookup.NO_CHANGE);
		if (held != null) {
			return CompletableFuture.completedFuture(begun);
		}
		return look(begun);
	}

	private CompletableFuture<@Nullable LaterLookup> look(LaterLookup begun) {
		CompletableFuture<CacheLookup> asked = (begun.question() != null)
				? this.search.look(begun.question(), begun.budget())
				: CompletableFuture.completedFuture(CacheLookup.Load.BYPASS);
		CompletableFuture<@Nullable LaterLookup> found = asked
			.thenCompose((lookup) -> pendingFirst(begun.with(lookup)));
		if (found.isDone() && !found.isCompletedExceptionally()) {
			return found;
		}
		// Who cancels it does not get what may still come
		CompletableFuture<@Nullable LaterLookup> told = new CompletableFuture<>();
		found.whenComplete((lookup, failure) -> {
			if (failure != null) {
				NearReader.end(begun.token());
				told.completeExceptionally(failure);
			}
			else if (!told.complete(lookup)) {
				giveBack(lookup);
			}
		});
		return told;
	}

	// Where a change waits for the store, the database is older
	private CompletableFuture<@Nullable LaterLookup> pendingFirst(LaterLookup found) {
		CacheKey key = found.source().key();
		// An entry that is found in the second place may again be of no use
		boolean loads = found.lookup() instanceof CacheLookup.Load || found.second();
		if (!loads || !this.behind.isBehind(key.cache())) {
			return CompletableFuture.completedFuture(found);
		}
		return this.behind.pending(key.cache(), key.parts())
			.handle((change, failure) -> found.with((failure == null) ? change : null));
	}

	/**
	 * Gives back what was found for a caller that has gone.
	 */
	void giveBack(@Nullable LaterLookup found) {
		if (found == null) {
			return;
		}
		NearReader.end(found.token());
		this.search.giveBack(found.lookup());
	}

	/**
	 * Judges what was found.
	 * @return what is done now
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	GuardedCall.Work decide(LaterLookup found) {
		LaterSource source = found.source();
		if (found.held() != null) {
			Object value = source.promised(found.held().value());
			return () -> source.promises().of(value);
		}
		CacheLookup lookup = found.lookup();
		CacheLookup.Load load = (lookup instanceof CacheLookup.Load granted) ? granted : CacheLookup.Load.UNSTORED;
		if (lookup instanceof CacheLookup.Late) {
			NearReader.end(found.token());
			tell(source.key(), Access.MISS);
			throw new CacheLoadTimeoutException(source.key().cache());
		}
		if (CacheSearch.isEntry(lookup)) {
			byte[] entry = CacheSearch.entry(lookup);
			CacheType.Content content = this.search.content(source, entry);
			if (content != null) {
				return hit(found, content);
			}
			if (!found.second()) {
				// Whoever goes away now never asks, and so gives no token back
				NearReader.end(found.token());
				LaterLookup again = found.again(!this.search.isOutdated(source, entry));
				return () -> this.calls.make(source.form(), () -> new Second(again));
			}
		}
		NearReader.end(found.token());
		return new Loading(found, found.second() ? CacheSearch.replaceable(lookup, found.unreadable()) : load);
	}

	private GuardedCall.Work hit(LaterLookup found, CacheType.Content content) {
		LaterSource source = found.source();
		this.near.keep(found.token(), found.lookup(), source.type(), content);
		NearReader.end(found.token());
		if (found.lookup() instanceof CacheLookup.Found fresh && fresh.refresh() != null) {
			boolean changing = this.behind.isBehind(source.key().cache());
			this.refresher.refresh(changing ? new LaterPendingFirst(this.behind, source) : source, fresh.refresh(),
					found.scope().context());
		}
		tell(source.key(), (found.lookup() instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
		Object value = source.promised(content.value());
		return () -> source.promises().of(value);
	}

	private void tell(CacheKey key, Access access) {
		this.events.publish(new CacheEvent.Read(key.cache(), access, CacheEvent.Tier.REDIS));
	}

	/**
	 * Asks once more, for an entry that is of no use.
	 */
	private final class Second implements GuardedCall<@Nullable LaterLookup> {

		private final LaterLookup again;

		Second(LaterLookup again) {
			this.again = again;
		}

		@Override
		public CompletableFuture<@Nullable LaterLookup> ask() {
			CacheKey key = this.again.source().key();
			return look(this.again.with((this.again.question() != null) ? LaterReader.this.near.begin(key) : null));
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public Work decide(@Nullable LaterLookup found) {
			return LaterReader.this.decide(Objects.requireNonNull(found));
		}

		@Override
		public void giveBack(@Nullable LaterLookup found) {
			LaterReader.this.giveBack(found);
		}

	}

	/**
	 * Loads a value, and stores it if there is a permit.
	 */
	private final class Loading implements GuardedCall.Work {

		private final LaterSource source;

		private final LaterLookup found;

		private final CacheLookup.Load granted;

		private final CacheLoad load;

		/** Whether what is loaded is not older than a change that waits for the store. */
		private volatile boolean certain;

		private volatile boolean told;

		private volatile @Nullable Thread entered;

		Loading(LaterLookup found, CacheLookup.Load granted) {
			this.found = found;
			this.granted = granted;
			CacheLookup.Permit permit = granted.permit();
			this.source = found.source();
			this.certain = found.pending() != null;
			this.load = LaterReader.this.loads.begin(this.source, permit,
					(permit != null) ? found.snapshot() : Snapshot.NONE, found.budget());
			this.load.giveBackAtEnd(LaterReader.this.definitions.settings(this.source.key().cache()).leaseTime());
			if (granted.replacing()) {
				LaterReader.this.events.publish(new CacheEvent.Unreadable(this.source.key().cache()));
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
			if (LaterReader.this.transactions.beginLoad(this.source.key())) {
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
				LaterReader.this.transactions.endLoad(this.source.key());
			}
		}

		@Override
		public Object contextual(Object context) {
			return LaterScope.loading(context, this.source.key());
		}

		@Override
		public @Nullable Object start() throws Throwable {
			this.load.begin();
			PendingChange change = this.found.pending();
			if (change != null && change.isPresent()) {
				try {
					Object waiting = LaterReader.this.behind.value(change, this.source.type().javaType());
					return this.source.promises().of(this.source.promised(waiting));
				}
				catch (RuntimeException | StackOverflowError | LinkageError ex) {
					// The database is what is left
					this.certain = false;
				}
			}
			byte[] expired = this.granted.expired();
			return (expired != null) ? loadOr(expired) : this.source.load();
		}

		private @Nullable Object loadOr(byte[] expired) throws Throwable {
			Object promise;
			try {
				promise = this.source.load();
			}
			catch (Exception ex) {
				promise = this.source.promises().of(CompletableFuture.failedFuture(ex));
			}
			return (promise != null) ? this.source.promises().recovered(promise, (failure) -> instead(expired, failure))
					: null;
		}

		/**
		 * Returns the value that has expired, since no other one could be loaded.
		 */
		private CompletableFuture<@Nullable Object> instead(byte[] expired, Throwable failure) {
			if (failure instanceof Error || failure instanceof CancellationException) {
				return CompletableFuture.failedFuture(failure);
			}
			this.load.failed();
			CompletableFuture<Void> ready = LaterReader.this.invalidations.ready(this.source.key().cache(),
					LaterReader.this.flights.newBudget());
			return LaterReader.this.calls.handOver(ready.handle((none, problem) -> problem == null),
					(judged) -> content(judged, expired), (judged) -> {
					})
				.toCompletableFuture()
				.thenCompose((content) -> (content != null)
						? CompletableFuture.completedFuture(this.source.promised(content.value()))
						: CompletableFuture.failedFuture(failure));
		}

		private CacheType.@Nullable Content content(boolean judged, byte[] expired) {
			CacheType.Content content = judged ? LaterReader.this.search.content(this.source, expired) : null;
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
				boolean storable = this.certain && !this.found.scope().isWriting(this.source.key());
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
