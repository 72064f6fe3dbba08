// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.internal.CacheLoads.Question;
import io.ge.redis.cache.internal.behind.PendingChange;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearToken;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reader: looks its entries up, mostly one, and takes the values or
 * {@link CacheLoad loads and stores} them. Keys are evaluated when the call asks. Entries
 * of no use are looked up once more, to replace them.
 * <p>
 * {@link CacheLoads} decides whether a call for one entry waits for the load of another
 * caller. A call for several waits for none: it loads what others load, and does not
 * store it.
 */
@SuppressWarnings("NullAway.Init") // asked before anything else
final class CacheCall implements GuardedCall<@Nullable Void> {

	final CacheReader reader;

	private final Supplier<? extends @Nullable CacheSource> sources;

	private final Work uncached;

	private @Nullable Object context;

	CacheSource source;

	CallerScope scope;

	/** The view of the database that the caller has. */
	Snapshot snapshot;

	CacheSettings settings;

	CallBudget budget;

	/** All entries, in the order of their keys. */
	List<Entry> entries;

	/** The entries to look up. */
	private List<Entry> asked;

	private @Nullable CacheLoad load;

	CacheCall(CacheReader reader, Supplier<? extends @Nullable CacheSource> sources, Work uncached) {
		this.reader = reader;
		this.sources = sources;
		this.uncached = uncached;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	// Look up

	@Override
	public CompletableFuture<@Nullable Void> ask() {
		if (this.source == null) {
			CacheSource found = this.sources.get();
			if (found == null) {
				return Work.DONE;
			}
			begin(found);
		}
		return this.asked.isEmpty() ? changesFirst() : lookup();
	}

	private void begin(CacheSource found) {
		List<CacheKey> keys = found.keys();
		this.scope = new CallerScope(this.reader.transactions(), this.reader.reactive(), this.context);
		this.snapshot = this.scope.snapshot();
		this.settings = this.reader.definitions().settings(found.cache());
		this.budget = this.reader.loads().newBudget();
		this.entries = new ArrayList<>(keys.size());
		this.asked = new ArrayList<>(keys.size());
		boolean due = this.reader.invalidations().isDue(found.cache());
		for (CacheKey key : keys) {
			Entry entry = new Entry(key);
			this.entries.add(entry);
			boolean inside = this.scope.isWriting(key) || this.scope.isLoading(key);
			NearValue held = inside ? null : this.reader.inMemory(key, found);
			if (held != null) {
				entry.value = held.value();
			}
			else if (inside || due || this.reader.engine().journal().holds(key)) {
				entry.load = Load.BYPASS;
			}
			else {
				this.asked.add(entry);
			}
		}
		// At last: what fails before is begun anew when it is asked again
		this.source = found;
	}

	private CompletableFuture<@Nullable Void> lookup() {
		List<Entry> wanted = this.asked;
		if (!(this.source instanceof CacheSource.Several)) {
			Entry only = wanted.get(0);
			CacheLoads.Question question = question(only);
			CompletableFuture<Void> ready = ready();
			CompletableFuture<CacheLookup> lookup = this.reader.loads().lookup(question, this.budget);
			return handedOver(lookup.thenCompose((found) -> {
				only.found = found;
				return judged(ready);
			}), lookup);
		}
		List<CacheLoads.Question> questions = wanted.stream().map(this::question).toList();
		CompletableFuture<Void> ready = ready();
		return handedOver(this.reader.loads().lookupAll(questions, this.budget).thenCompose((found) -> {
			for (int i = 0; i < found.size(); i++) {
				wanted.get(i).found = found.get(i);
			}
			return judged(ready);
		}), null);
	}

	private CompletableFuture<Void> ready() {
		return this.reader.invalidations().ready(this.source.cache(), this.budget);
	}

	private CacheLoads.Question question(Entry entry) {
		entry.token = this.reader.keeping(entry.key);
		// A value in memory must not outlive its entry, and one written behind has no end
		boolean timed = entry.token != null || this.reader.behind().isBehind(this.source.cache());
		return new CacheLoads.Question(entry.key, this.settings, this.source.type().readable(), entry.rejected != null,
				timed, !this.snapshot.transactional() && !this.source.isOpen(), this.source.isOpen());
	}

	private CompletableFuture<@Nullable Void> judged(CompletableFuture<Void> ready) {
		return this.reader.stillReady(ready, this.source.cache(), this.budget).thenCompose((known) -> {
			if (!known) {
				// It is not known which entries were invalidated
				this.asked.forEach((entry) -> {
					release(entry, false);
					entry.found = Load.BYPASS;
				});
			}
			return changesFirst();
		});
	}

	/**
	 * Asks for the changes that wait for the store, of all entries that are about to be
	 * loaded. An entry that is looked up once more is asked for again: its new lease
	 * allows to store only what is asked for afterwards.
	 */
	private CompletableFuture<@Nullable Void> changesFirst() {
		if (!this.reader.behind().isBehind(this.source.cache())) {
			return Work.DONE;
		}
		// They are asked for side by side, whose time counts once
		Duration rest = Duration.ofNanos(this.budget.remainingNanos());
		long asked = System.nanoTime();
		return CompletableFuture
			.allOf(this.entries.stream()
				.filter(Entry::isPerhapsLoaded)
				.map((entry) -> this.reader.behind()
					.pending(this.source.cache(), entry.key.parts(), CallBudget.of(rest))
					.handle((change, failure) -> entry.change = change))
				.toArray(CompletableFuture[]::new))
			.<@Nullable Void>thenApply((none) -> null)
			.whenComplete((none, failure) -> this.budget.spend(System.nanoTime() - asked));
	}

	/**
	 * Hands an answer over to a caller that may cancel its wait.
	 * @param wait the wait for another caller, cancelled with it
	 */
	private CompletableFuture<@Nullable Void> handedOver(CompletableFuture<@Nullable Void> answer,
			@Nullable CompletableFuture<?> wait) {
		CompletableFuture<@Nullable Void> handed = new CompletableFuture<>();
		answer.whenComplete((none, failure) -> {
			boolean taken = (failure == null) ? handed.complete(null)
					: handed.completeExceptionally(Waiting.cause(failure));
			if (!taken || failure != null) {
				release(null);
			}
		});
		if (wait != null && !handed.isDone()) {
			handed.whenComplete((none, failure) -> {
				if (handed.isCancelled()) {
					wait.cancel(false);
				}
			});
		}
		return handed;
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	// Take, or load

	@Override
	public Work decide(@Nullable Void answered) {
		if (this.source == null) {
			return this.uncached;
		}
		boolean decided = false;
		try {
			Work work = take();
			decided = true;
			return work;
		}
		finally {
			if (!decided) {
				this.entries.forEach((entry) -> release(entry, true));
			}
		}
	}

	private Work take() {
		List<Entry> again = new ArrayList<>(0);
		for (Entry entry : this.asked) {
			if (!take(entry)) {
				again.add(entry);
			}
			entry.close();
		}
		this.asked = again;
		if (!again.isEmpty()) {
			return () -> this.reader.calls().start(this.source.form(), () -> this);
		}
		List<Entry> missing = new ArrayList<>(0);
		for (Entry entry : this.entries) {
			if (entry.load != null) {
				missing.add(entry);
			}
		}
		return missing.isEmpty() ? () -> this.source.promises().of(result()) : load(missing);
	}

	/**
	 * Takes an entry that was found, or notes that its value is to be loaded.
	 * @return whether that is known; if not, it is looked up once more
	 */
	private boolean take(Entry entry) {
		CacheLookup found = Objects.requireNonNull(entry.found);
		if (found instanceof Load open) {
			entry.load = (entry.rejected != null) ? open.replacing(entry.rejected) : open;
			return true;
		}
		String cache = this.source.cache();
		if (found instanceof CacheLookup.Late) {
			this.reader.publish(cache, Access.MISS);
			throw new CacheLoadTimeoutException(cache);
		}
		byte[] bytes = (found instanceof CacheLookup.Found hit) ? hit.value() : ((CacheLookup.Expired) found).value();
		CacheType.Content content = this.source.type().read(bytes);
		if (content == null || !this.reader.isCurrent(this.source, content)) {
			boolean second = entry.rejected != null;
			entry.rejected = content == null;
			entry.load = second ? Load.UNSTORED.replacing(entry.rejected) : null;
			return second;
		}
		entry.value = content.value();
		if (found.permit() != null) {
			// Every load runs in a caller, with all that is bound to it
			entry.load = new Load(found.permit(), false, false, bytes, true);
			return true;
		}
		if (entry.token != null) {
			entry.token.keep(found, this.source.type(), content, this.settings.refreshBeta());
		}
		this.reader.publish(cache, (found instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
		return true;
	}

	@Nullable Object result() {
		if (this.entries.size() == 1) {
			return this.source.result(Collections.singletonList(this.entries.get(0).value));
		}
		List<@Nullable Object> values = new ArrayList<>(this.entries.size());
		this.entries.forEach((entry) -> values.add(entry.value));
		return this.source.result(values);
	}

	private Work load(List<Entry> missing) {
		CacheLoad begun = new CacheLoad(this, missing);
		OpenMiss miss = this.source.isOpen() ? begun.missed() : null;
		if (miss != null) {
			return () -> this.source.promises().of(miss);
		}
		this.load = begun;
		return begun.endingWithLease();
	}

	@Override
	public void release(@Nullable Void answered) {
		if (this.load != null) {
			this.load.abandoned();
		}
		else if (this.source != null) {
			this.entries.forEach((entry) -> release(entry, false));
		}
	}

	private void release(Entry entry, boolean failed) {
		CacheLookup found = entry.found;
		if (found != null) {
			entry.found = null;
			this.reader.loads().release(found.permit(), failed);
		}
		entry.close();
	}

	/**
	 * An entry on its way through a call.
	 */
	static final class Entry {

		final CacheKey key;

		private @Nullable NearToken token;

		private volatile @Nullable CacheLookup found;

		/** Whether an entry was found that is of no use; true if it is unreadable. */
		private @Nullable Boolean rejected;

		/** The way to load the value, with the permit to store it. */
		private @Nullable Load load;

		/** The change that waits for the store, {@code null} if that is not known. */
		volatile @Nullable PendingChange change;

		/** Whether that change is the value. */
		boolean changed;

		/** The value that was found, or loaded. */
		@Nullable Object value;

		Entry(CacheKey key) {
			this.key = key;
		}

		Load load() {
			return Objects.requireNonNull(this.load);
		}

		private boolean isPerhapsLoaded() {
			CacheLookup lookup = this.found;
			if (this.load != null) {
				return this.change == null;
			}
			return this.rejected != null || lookup instanceof Load || (lookup != null && lookup.permit() != null);
		}

		private void close() {
			if (this.token != null) {
				this.token.close();
			}
		}

	}

}
