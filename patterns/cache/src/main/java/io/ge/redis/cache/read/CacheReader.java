// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheBatch.Decided;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.near.NearValue;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * Reads one value or several through the caches, by the same steps for all forms of
 * results. Nothing here blocks; a caller with a plain result waits, and loads on its
 * thread, in its transaction.
 * <p>
 * The call is the first round. Each round asks, and loads what is to be loaded; the next
 * one waits for what others load before it asks. So a caller that loads waits for no
 * other. Of one entry a round is all there is, unless what was found is of no use.
 */
public final class CacheReader {

	private static final Map<?, ?> NOTHING = Map.of();

	private final CacheReadParts parts;

	/** Of callers that are no subscribers. */
	private final CallerScope threads;

	public CacheReader(CacheReadParts parts) {
		this.parts = parts;
		this.threads = parts.scope(null);
	}

	/**
	 * Returns a value that is in memory, for a reader that says nothing of tags.
	 * @return the value, or {@code null} to {@link #read} it
	 */
	public @Nullable NearValue inMemory(CacheKey key, CacheType type) {
		return this.parts.near().find(key, type, null);
	}

	/**
	 * Returns values from the cache, or loads those that are not there, in the form of
	 * the source.
	 * @throws Throwable what a source of plain values throws
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	public @Nullable Object read(CacheSource source) throws Throwable {
		if (!source.form().isPlain()) {
			return this.parts.calls().make(source.form(), () -> new CacheCall((context) -> call(source, context)));
		}
		NearValue held = (source instanceof CacheEntrySource entry)
				? this.parts.near().find(entry.key(), entry.type(), entry) : null;
		return (held != null) ? ((CacheEntrySource) source).promised(held.value())
				: GuardedCalls.run(round(source, this.threads));
	}

	/**
	 * Returns a value from the cache for a caller that loads by itself, or an
	 * {@link OpenMiss}, in a form.
	 * @throws Throwable never for a form that comes later
	 */
	public @Nullable Object readOpen(CacheKey key, CacheType type, ResultForm form) throws Throwable {
		return read(new OpenSource(this.parts, key, type, form));
	}

	/**
	 * Makes a call on this thread, which is about to ask.
	 * @param context the context of its subscriber, or {@code null} if there is none
	 */
	public GuardedCall<?> call(CacheSource source, @Nullable Object context) {
		CallerScope scope = this.parts.scope(context);
		if (source instanceof CacheEntrySource entry && !scope.isWriting(entry.key())
				&& !scope.isLoading(entry.key())) {
			NearValue held = this.parts.near().find(entry.key(), entry.type(), entry);
			if (held != null) {
				return GuardedCall.of(() -> entry.promises().of(entry.promised(held.value())));
			}
		}
		return round(source, scope);
	}

	private Round round(CacheSource source, CallerScope scope) {
		return new Round(new CacheRead(source, scope, this.parts), true);
	}

	/**
	 * An entry for a caller that loads by itself.
	 */
	private record OpenSource(CacheReadParts parts, CacheKey key, CacheType type,
			ResultForm form) implements CacheEntrySource {

		@Override
		public boolean isOpen() {
			return true;
		}

		// Asked only where a change that waits for the store turns out to be unreadable
		@Override
		public @Nullable Object load() {
			return promises().of(new OpenMiss(this.parts, this.key, this.type, CacheLookup.Load.UNSTORED,
					Snapshot.NONE.ageMillis(), CacheInvalidations.UNSTAMPABLE));
		}

	}

	/**
	 * Asks for what is open. The first round is the call: when that is over, so is the
	 * reading.
	 */
	private final class Round implements GuardedCall<List<Decided>> {

		private final CacheRead read;

		private final CacheSource source;

		private final boolean first;

		private boolean entered;

		private volatile @Nullable CacheLoad load;

		Round(CacheRead read, boolean first) {
			this.read = read;
			this.source = read.source;
			this.first = first;
		}

		@Override
		public CompletableFuture<List<Decided>> ask() {
			if (!this.read.enter()) {
				return CompletableFuture.failedFuture(new CancellationException());
			}
			this.entered = true;
			CompletableFuture<List<Decided>> found;
			try {
				found = this.first ? this.read.begin() : this.read.goOn();
			}
			catch (Throwable ex) {
				giveUp();
				throw ex;
			}
			if (found.isDone() && !found.isCompletedExceptionally()) {
				return found;
			}
			// Who cancels it does not get what may still come
			CompletableFuture<List<Decided>> told = new CompletableFuture<>();
			found.whenComplete((lookups, failure) -> {
				if (failure != null) {
					giveUp();
					told.completeExceptionally(failure);
				}
				else if (!told.complete(lookups)) {
					release(lookups);
				}
			});
			return told;
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public Work decide(List<Decided> found) {
			boolean decided = false;
			CacheLoad begun;
			try {
				begun = this.read.take(found);
				this.load = begun;
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
			if (begun == null) {
				return this.read.isDone() ? result(this.read.result()) : new Rest(this, null);
			}
			if (!begun.isReplaceable() || this.source.isOpen()) {
				begun.tellMisses();
			}
			OpenMiss miss = this.source.isOpen() ? begun.missed() : null;
			if (miss != null) {
				// With the permit, which is given back with what was found
				this.load = null;
				return result(miss);
			}
			if (!this.source.form().isPlain()) {
				begun.giveBackAtEnd();
			}
			return (this.source instanceof CacheEntrySource) ? new Loading(this, begun, true) : new Rest(this, begun);
		}

		private Work result(@Nullable Object result) {
			end();
			return () -> this.source.promises().of(result);
		}

		@Override
		public void release(List<Decided> found) {
			CacheLoad begun = this.load;
			if (begun != null) {
				begun.abandoned();
			}
			else {
				this.read.giveBack(found, false);
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
				this.read.leave();
			}
		}

		void end() {
			if (this.first) {
				this.read.close();
			}
		}

		@Nullable Object next() throws Throwable {
			return CacheReader.this.parts.calls().start(this.source.form(), () -> new Round(this.read, false));
		}

	}

	/**
	 * The rest of a round after its question: loads what is to be loaded, and continues
	 * with the next round if others load something.
	 */
	private final class Rest implements GuardedCall.Work {

		private final Round round;

		private final @Nullable CacheLoad load;

		Rest(Round round, @Nullable CacheLoad load) {
			this.round = round;
			this.load = load;
		}

		@Override
		public @Nullable Object start() throws Throwable {
			CacheRead read = this.round.read;
			CacheSource source = this.round.source;
			CacheLoad begun = this.load;
			if (begun == null) {
				return this.round.next();
			}
			GuardedCalls.Following next = CacheReader.this.parts.calls().following(source.form());
			Object loading = CacheReader.this.parts.calls()
				.start(source.form(), () -> GuardedCall.of(new Loading(this.round, begun, false)));
			return source.promises()
				.then(loading, (loaded) -> read.isDone() ? source.promises().of(read.result())
						: next.start(() -> new Round(read, false)));
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
	private final class Loading implements GuardedCall.Work {

		private final Round round;

		private final CacheRead read;

		private final CacheSource source;

		private final CacheLoad load;

		/** Whether what is loaded is all that the caller gets. */
		private final boolean last;

		private final List<CacheKey> within = new ArrayList<>(1);

		private volatile @Nullable Thread entered;

		Loading(Round round, CacheLoad load, boolean last) {
			this.round = round;
			this.read = round.read;
			this.source = round.source;
			this.load = load;
			this.last = last;
		}

		@Override
		public void begin(GuardedCall.Beginning beginning) throws Throwable {
			this.load.missing().forEach((key) -> {
				if (CacheReader.this.parts.transactions().beginLoad(key)) {
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

		// Also at the end, which may come while it begins: whoever has the values then is
		// outside
		private void leave() {
			if (this.entered == Thread.currentThread()) {
				this.entered = null;
				this.within.forEach(CacheReader.this.parts.transactions()::endLoad);
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
				return this.source.promises().of(this.last ? this.source.result(this.load.waiting()) : NOTHING);
			}
			return this.load.isReplaceable()
					? this.source.promises().recovered(() -> this.source.load(rest), this::replaced)
					: this.source.load(rest);
		}

		/**
		 * Lets values that are there stand in, since no others could be loaded.
		 */
		private CompletableFuture<@Nullable Object> replaced(Throwable failure) {
			if (failure instanceof Error || failure instanceof CancellationException
					|| failure instanceof InterruptedException) {
				return CompletableFuture.failedFuture(failure);
			}
			this.load.failed();
			CompletableFuture<Boolean> ready = CacheReader.this.parts.invalidations()
				.ready(this.source.cache(), CacheReader.this.parts.flights().newBudget())
				.handle((none, problem) -> problem == null);
			return CacheReader.this.parts.calls().handOver(ready, this.load::replace, (replaced) -> {
			})
				.toCompletableFuture()
				.thenCompose((replaced) -> replaced
						? CompletableFuture.completedFuture(this.last ? this.read.result() : NOTHING)
						: CompletableFuture.failedFuture(failure));
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			leave();
			try {
				if (failure == null) {
					CompletableFuture<?> stored = this.load.loaded(value);
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
			finally {
				if (this.last) {
					this.round.end();
				}
			}
		}

	}

}
