/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Changes what caches hold for whoever changes the database by work whose end comes
 * later, by the same steps as {@link CacheWriter}: nothing here blocks.
 * <p>
 * A writer inside of a reactive transaction of its subscriber belongs to that. Every
 * other one is announced before its work begins, since nobody can be asked to wait right
 * before a commit inside of it, and resolved when the work ends. It is published only if
 * no other writer was at work beside it, and if no transaction that may be inside of it
 * was rolled back; so it does not matter else which ones there are.
 * <p>
 * Work that was stopped, because it has failed or because nobody waits for it any more,
 * may have a commit under way. So the announcement of a writer that was cancelled stays
 * until its time is over; one that has none removes its entries at once. Either way they
 * are removed once more then.
 * <p>
 * Where the calling thread is in a transaction, or the subscriber in one that commits
 * already, nobody knows whether the work is part of it and which of them ends first.
 * There the entry is removed, after both.
 */
public final class AsyncCacheWriter {

	private final CacheWriter writer;

	private final CacheEngine engine;

	private final WriteSteps steps;

	private final CacheTransactions transactions;

	private final ReactiveCacheTransactions reactive;

	private final GuardedCalls calls;

	public AsyncCacheWriter(CacheWriter writer, CacheEngine engine, WriteSteps steps, CacheTransactions transactions,
			ReactiveCacheTransactions reactive, GuardedCalls calls) {
		this.writer = writer;
		this.engine = engine;
		this.steps = steps;
		this.transactions = transactions;
		this.reactive = reactive;
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
	 * Announces what is to be announced before the work.
	 * @return completes when that is done, exceptionally if it could not be and must be;
	 * may be cancelled
	 */
	CompletableFuture<AsyncWrites> begin(List<WritePart> parts, TransactionBoundary boundary, CallerScope scope) {
		AsyncWrites begun = new AsyncWrites(scope);
		parts.forEach((part) -> add(part, boundary, begun));
		List<CompletableFuture<?>> steps = new ArrayList<>();
		begun.all().forEach((open) -> steps.add(open.stamp()));
		List<CacheWrite> bare = begun.bare();
		if (!bare.isEmpty()) {
			steps.add(this.steps.announceAsync(bare, false));
		}
		CompletableFuture<AsyncWrites> told = new CompletableFuture<>();
		CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new)).whenComplete((none, failure) -> {
			if (failure != null) {
				giveBack(begun);
				told.completeExceptionally(failure);
			}
			else if (!told.complete(begun)) {
				giveBack(begun);
			}
		});
		return told;
	}

	private void add(WritePart part, TransactionBoundary boundary, AsyncWrites begun) {
		CallerScope scope = begun.scope();
		if (!part.isRemoval()) {
			this.writer.requireWrittenThrough(part.key());
		}
		if (!part.key().isWhole() && scope.isInsideWriter(part.key())) {
			if (part.isRemoval()) {
				scope.dropValues(part.key());
			}
			return;
		}
		// One around it that ends with its method does not wait for this one
		scope.dropValues(part.key());
		CacheWrite write = this.writer.newWrite(part.key(), boundary);
		ReactiveChanges changes = boundary.joins() ? scope.changes() : null;
		CacheWrite removal = null;
		if (changes == null && boundary.joins() && scope.isThreadInTransaction()) {
			removal = this.writer.newWrite(part.key(), TransactionBoundary.UNKNOWN);
			this.transactions.add(removal);
			write.dropValue();
		}
		else if (changes != null && !changes.add(write)) {
			removal = removalAfter(changes, write);
			changes = null;
		}
		boolean stamped = !part.isRemoval() && write.isPublishing();
		begun.all()
			.add(new AsyncWrites.Open(part, write, changes, removal,
					stamped ? stamp(write, scope) : CompletableFuture.completedFuture(CacheInvalidations.UNSTAMPABLE)));
	}

	// While a transaction commits nothing can be announced in it any more
	private @Nullable CacheWrite removalAfter(ReactiveChanges committing, CacheWrite write) {
		CacheWrite removal = this.writer.newWrite(write.key(), TransactionBoundary.UNKNOWN);
		if (!committing.addRemoval(removal)) {
			return null;
		}
		write.dropValue();
		return removal;
	}

	// If what is known is too old, what is stamped with an old version is loaded once
	// more
	private CompletableFuture<Long> stamp(CacheWrite write, CallerScope scope) {
		CacheInvalidations invalidations = this.engine.invalidations();
		Snapshot snapshot = scope.snapshot();
		return invalidations.ready(write.key().cache(), write.budget())
			.handle((none, failure) -> invalidations.stamp(write.key().cache(), snapshot));
	}

	/**
	 * Takes back what was announced for work that does not begin.
	 */
	void giveBack(AsyncWrites begun) {
		begun.end();
		for (AsyncWrites.Open open : begun.all()) {
			if (open.changes() != null) {
				// It may have taken the place of one that has changed the row
				open.changes().returned(open.write(), null);
			}
			else {
				this.steps.withdraw(open.write());
			}
		}
	}

	/**
	 * Puts a value after the commit of the transaction of the calling thread; if there is
	 * none the entry is removed.
	 */
	public CompletionStage<@Nullable Void> put(CacheKey key, @Nullable Object value) {
		this.writer.requireWrittenThrough(key);
		CacheWrite write = this.writer.newWrite(key, TransactionBoundary.UNKNOWN);
		long stamp = write.isPublishing() ? this.engine.invalidations().stamp(key.cache(), this.transactions.snapshot())
				: CacheInvalidations.UNSTAMPABLE;
		write.value(this.writer.newValue(key.cache(), value, stamp, null));
		if (this.transactions.add(write)) {
			return CompletableFuture.completedFuture(null);
		}
		write.dropValue();
		return this.steps.resolveAsync(List.of(write), this.calls);
	}

	/**
	 * Removes an entry, or many, after the commit of the transaction of the calling
	 * thread, or at once if there is none.
	 * @param target names the entry, or the cache as a whole
	 * @param tags which entries, in the latter case
	 */
	public CompletionStage<@Nullable Void> remove(CacheKey target, CacheTags tags) {
		CacheWrite write = this.writer.newWrite(target, TransactionBoundary.UNKNOWN);
		write.tags(tags);
		if (!target.isWhole()) {
			this.transactions.dropValues(target);
		}
		if (tags.isEmpty() || this.transactions.add(write)) {
			return CompletableFuture.completedFuture(null);
		}
		return this.steps.resolveAsync(List.of(write), this.calls);
	}

	/**
	 * Runs a writer whose result comes later.
	 */
	public CompletionStage<?> write(CacheKey key, Supplier<? extends CompletionStage<?>> work) {
		WritePart part = WritePart.of(key, (result, stamp) -> this.writer.newValue(key.cache(), result, stamp, null));
		return (CompletionStage<?>) this.calls.make(ResultForm.FUTURE, () -> new CacheWriteCall(this,
				TransactionBoundary.UNKNOWN, () -> List.of(part), ResultForm.FUTURE, work::get));
	}

	/**
	 * Returns the work of a writer, to be done under what was announced.
	 * @param single whether it has one value at most
	 */
	GuardedCall.Work work(AsyncWrites begun, boolean single, CacheWriter.Work work) {
		return new Writing(begun, single, work);
	}

	private final class Writing implements GuardedCall.Work {

		private final AsyncWrites begun;

		private final boolean single;

		private final CacheWriter.Work work;

		Writing(AsyncWrites begun, boolean single, CacheWriter.Work work) {
			this.begun = begun;
			this.single = single;
			this.work = work;
		}

		@Override
		public void begin(GuardedCall.Beginning beginning) throws Throwable {
			List<CacheWrite> announced = this.begun.bare().stream().filter(CacheWrite::isAnnounced).toList();
			if (!announced.isEmpty()) {
				Duration half = AsyncCacheWriter.this.engine.intentTimeout().dividedBy(2);
				this.begun.every(half, () -> announced.forEach(AsyncCacheWriter.this.engine::prolong));
			}
			// Who is given the first of several values is not inside, although on this
			// thread
			List<CacheWrite> writes = this.single ? this.begun.writes() : List.of();
			AsyncCacheWriter.this.transactions.enter(writes);
			try {
				beginning.run();
			}
			finally {
				AsyncCacheWriter.this.transactions.leave(writes);
			}
		}

		@Override
		public Object contextual(Object context) {
			return this.begun.scope().writing(context, this.begun.writes());
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return this.work.run();
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			this.begun.end();
			// The end may come while the work begins: whoever hears of it is not inside
			AsyncCacheWriter.this.transactions.leave(this.begun.writes());
			boolean cancelled = failure instanceof CancellationException;
			List<CacheWrite> resolved = new ArrayList<>(1);
			Error error = null;
			for (AsyncWrites.Open open : this.begun.all()) {
				try {
					end(open, value, failure);
				}
				catch (Error ex) {
					// For the caller, after all of them
					error = ex;
				}
				if (open.changes() == null && !(cancelled && open.write().isAnnounced())) {
					resolved.add(open.write());
				}
				if (open.changes() == null && failure != null) {
					removeWhenOver(open.write());
				}
			}
			CompletionStage<?> ending = resolved.isEmpty() ? DONE
					: AsyncCacheWriter.this.steps.resolveAsync(resolved, AsyncCacheWriter.this.calls);
			if (error == null) {
				return ending;
			}
			CompletableFuture<?> failed = CompletableFuture.failedFuture(error);
			return ending.thenCompose((resolution) -> failed);
		}

		private void end(AsyncWrites.Open open, @Nullable Object value, @Nullable Throwable failure) {
			NewValue made = null;
			try {
				made = made(open, value, failure);
			}
			finally {
				// After an Error, too: without a value the entry is removed
				end(open, made);
			}
		}

		private @Nullable NewValue made(AsyncWrites.Open open, @Nullable Object value, @Nullable Throwable failure) {
			CacheWrite write = open.write();
			if (write.key().isWhole()) {
				open.part().choose(write, value, failure == null);
				if (open.removal() != null) {
					open.removal().tags(write.tags());
				}
				return null;
			}
			return (failure == null) ? open.part().valueOf(value, open.stamp().join()) : null;
		}

		private void end(AsyncWrites.Open open, @Nullable NewValue made) {
			CacheWrite write = open.write();
			if (open.changes() == null) {
				write.value(isRolledBack(write) ? null : made);
			}
			else if (!open.changes().returned(write, made)) {
				// The transaction has not waited for the work
				removeNow(write);
			}
		}

		// Who marks its transaction for rollback returns a value all the same
		private boolean isRolledBack(CacheWrite write) {
			return write.rollbacks > 0 || AsyncCacheWriter.this.transactions.rollbacks().isAnySince(this.begun.since())
					|| AsyncCacheWriter.this.reactive.rollbacks().isAnySince(this.begun.since());
		}

		private void removeNow(CacheWrite write) {
			CacheWrite late = AsyncCacheWriter.this.writer.newWrite(write.key(), TransactionBoundary.UNKNOWN);
			late.tags(write.tags());
			AsyncCacheWriter.this.engine.invalidate(late);
		}

		private void removeWhenOver(CacheWrite write) {
			long millis = AsyncCacheWriter.this.engine.intentTimeout().toMillis();
			CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
				.execute(() -> AsyncCacheWriter.this.engine.invalidateUnlessClosed(write));
		}

	}

}
