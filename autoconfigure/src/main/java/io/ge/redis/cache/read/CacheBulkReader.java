/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.read.CacheBulkRead.Looked;
import io.ge.redis.cache.write.CacheTransactions;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.Promises;
import org.jspecify.annotations.Nullable;

/**
 * Reads several values, by the same steps for all forms of results: nothing here blocks.
 * <p>
 * The call of the caller is the first round. Each round asks, and loads what is to be
 * loaded; the next one waits for what others load before it asks. So who loads waits for
 * nobody, and callers whose entries overlap never wait for each other in a circle.
 */
public final class CacheBulkReader {

	private static final Map<?, ?> NOTHING = Map.of();

	private final CacheBulkParts parts;

	private final CacheReader reader;

	private final CacheTransactions transactions;

	private final GuardedCalls calls;

	public CacheBulkReader(CacheBulkParts parts, CacheReader reader, CacheTransactions transactions,
			GuardedCalls calls) {
		this.parts = parts;
		this.reader = reader;
		this.transactions = transactions;
		this.calls = calls;
	}

	/**
	 * Returns several values from the cache, or loads those that are not there, in the
	 * form of the source.
	 * @throws Throwable what a source of plain values throws
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	public @Nullable Object readAll(CacheBulkSource source) throws Throwable {
		return this.calls.start(source.form(), () -> call(source, null));
	}

	/**
	 * Makes a call on this thread.
	 * @param context the context of its subscriber, or {@code null} if there is none
	 */
	public GuardedCall<Looked> call(CacheBulkSource source, @Nullable Object context) {
		CallerScope scope = this.reader.scope(context);
		return new Reading(source, scope).round(true);
	}

	/**
	 * One caller's reading.
	 */
	private final class Reading {

		private final CacheBulkSource source;

		private final Promises promises;

		private final CallerScope scope;

		private final Snapshot snapshot;

		private final CacheBulkRead read;

		Reading(CacheBulkSource source, CallerScope scope) {
			this.source = source;
			this.promises = source.promises();
			this.scope = scope;
			this.snapshot = scope.snapshot();
			this.read = new CacheBulkRead(source, CacheBulkReader.this.parts);
		}

		Round round(boolean first) {
			return new Round(this, first);
		}

		CompletableFuture<Looked> look(boolean first) {
			return first ? this.read.begin((key) -> this.scope.isWriting(key) || this.scope.isLoading(key))
					: this.read.goOn();
		}

		@Nullable Object result() {
			return this.promises.of(this.read.result());
		}

		@Nullable CacheBulkLoad take(Looked looked) {
			CacheBulkLoad load = this.read.take(looked, this.snapshot);
			if (load != null && !this.source.form().isPlain()) {
				load.giveBackAtEnd(this.read.settings().leaseTime());
			}
			return load;
		}

	}

	/**
	 * Asks for what is open. The first round is the call: when that is over, so is the
	 * reading.
	 */
	private final class Round implements GuardedCall<Looked> {

		private final Reading reading;

		private final boolean first;

		private boolean entered;

		private volatile @Nullable CacheBulkLoad load;

		Round(Reading reading, boolean first) {
			this.reading = reading;
			this.first = first;
		}

		@Override
		public CompletableFuture<Looked> ask() {
			if (!this.reading.read.enter()) {
				return CompletableFuture.failedFuture(new CancellationException());
			}
			this.entered = true;
			CompletableFuture<Looked> found;
			try {
				found = this.reading.look(this.first);
			}
			catch (Throwable ex) {
				giveUp();
				throw ex;
			}
			if (found.isDone() && !found.isCompletedExceptionally()) {
				return found;
			}
			// Who cancels it does not get what may still come
			CompletableFuture<Looked> told = new CompletableFuture<>();
			found.whenComplete((looked, failure) -> {
				if (failure != null) {
					giveUp();
					told.completeExceptionally(failure);
				}
				else if (!told.complete(looked)) {
					giveBack(looked);
				}
			});
			return told;
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public Work decide(Looked looked) {
			boolean decided = false;
			try {
				this.load = this.reading.take(looked);
				decided = true;
			}
			finally {
				if (decided) {
					leave();
				}
				else {
					giveUp();
				}
			}
			if (this.load == null && this.reading.read.isDone()) {
				end();
				@Nullable Object result = this.reading.result();
				return () -> result;
			}
			return new Rest(this, this.load);
		}

		@Override
		public void giveBack(Looked looked) {
			CacheBulkLoad begun = this.load;
			if (begun != null) {
				begun.abandoned();
			}
			else {
				this.reading.read.giveBack(looked, false);
			}
			giveUp();
		}

		private void giveUp() {
			leave();
			end();
		}

		private void leave() {
			if (this.entered) {
				this.entered = false;
				this.reading.read.leave();
			}
		}

		/**
		 * Ends the reading, if it ends with this round.
		 */
		void end() {
			if (this.first) {
				this.reading.read.close();
			}
		}

	}

	/**
	 * The rest of a round after its question: loads what is to be loaded, and continues
	 * with the next round if others load something.
	 */
	private final class Rest implements GuardedCall.Work {

		private final Round round;

		private final Reading reading;

		private final @Nullable CacheBulkLoad load;

		Rest(Round round, @Nullable CacheBulkLoad load) {
			this.round = round;
			this.reading = round.reading;
			this.load = load;
		}

		@Override
		public @Nullable Object start() throws Throwable {
			GuardedCalls calls = CacheBulkReader.this.calls;
			CacheBulkLoad begun = this.load;
			if (begun == null) {
				return calls.start(this.reading.source.form(), () -> this.reading.round(false));
			}
			GuardedCalls.Following next = calls.following(this.reading.source.form());
			Object loading = calls.start(this.reading.source.form(), () -> new Loading(this.reading, begun));
			return this.reading.promises.then(loading, (loaded) -> this.reading.read.isDone() ? this.reading.result()
					: next.start(() -> this.reading.round(false)));
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			if (failure != null && this.load != null) {
				this.load.abandoned();
			}
			this.round.end();
			return DONE;
		}

	}

	/**
	 * Loads what is to be loaded, and stores it as far as there are permits.
	 */
	private final class Loading implements GuardedCall<@Nullable Void> {

		private final Reading reading;

		private final CacheBulkLoad load;

		Loading(Reading reading, CacheBulkLoad load) {
			this.reading = reading;
			this.load = load;
		}

		@Override
		public CompletableFuture<@Nullable Void> ask() {
			return this.load.prepare().thenApply((none) -> none);
		}

		@Override
		public Work decide(@Nullable Void none) {
			return new LoadWork(this.reading, this.load);
		}

		@Override
		public void giveBack(@Nullable Void none) {
			this.load.abandoned();
		}

	}

	/**
	 * The loading.
	 */
	private final class LoadWork implements GuardedCall.Work {

		private final Reading reading;

		private final CacheBulkLoad load;

		private final List<CacheKey> within = new ArrayList<>();

		private volatile @Nullable Thread entered;

		LoadWork(Reading reading, CacheBulkLoad load) {
			this.reading = reading;
			this.load = load;
		}

		@Override
		public void begin(GuardedCall.Beginning beginning) throws Throwable {
			this.load.missing().forEach((key) -> {
				if (CacheBulkReader.this.transactions.beginLoad(key)) {
					this.within.add(key);
				}
			});
			this.entered = Thread.currentThread();
			try {
				beginning.run();
			}
			finally {
				leave();
			}
		}

		// Also at the end, which may come while it begins: whoever takes the values then
		// is not inside any more
		private void leave() {
			if (this.entered == Thread.currentThread()) {
				this.entered = null;
				this.within.forEach(CacheBulkReader.this.transactions::endLoad);
			}
		}

		@Override
		public Object contextual(Object context) {
			return CallerScope.loading(context, this.load.missing());
		}

		@Override
		public @Nullable Object start() throws Throwable {
			List<CacheKey> rest = this.load.begin();
			if (rest.isEmpty()) {
				return this.reading.promises.of(NOTHING);
			}
			return this.load.isReplaceable()
					? this.reading.promises.recovered(() -> this.reading.source.load(rest), this::replace)
					: this.reading.source.load(rest);
		}

		/**
		 * Lets values that have expired stand in, since no others could be loaded.
		 */
		private CompletableFuture<@Nullable Object> replace(Throwable failure) {
			if (failure instanceof Error || failure instanceof CancellationException
					|| failure instanceof InterruptedException) {
				return CompletableFuture.failedFuture(failure);
			}
			this.load.failed();
			CompletableFuture<Boolean> ready = this.reading.read
				.ready(CacheBulkReader.this.parts.flights().newBudget());
			return CacheBulkReader.this.calls.handOver(ready, this.load::replace, (replaced) -> {
			})
				.toCompletableFuture()
				.thenCompose((replaced) -> replaced ? CompletableFuture.completedFuture(NOTHING)
						: CompletableFuture.failedFuture(failure));
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			leave();
			if (failure == null) {
				// In one transaction a writer may have begun meanwhile, whose row is not
				// committed
				return this.load.loaded(value, (key) -> !this.reading.scope.isWriting(key));
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
