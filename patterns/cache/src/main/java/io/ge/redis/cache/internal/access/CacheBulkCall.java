// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.internal.behind.PendingChange;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheQuestion;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearToken;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reader of several entries of a cache: looks all of them up together, and
 * {@link CacheLoad loads and stores} what is missing. It waits for no other caller: what
 * others load is loaded here as well, and not stored.
 */
@SuppressWarnings("NullAway.Init") // asked before anything else
final class CacheBulkCall implements GuardedCall<List<CacheLookup>> {

	private final CacheReadParts parts;

	private final Supplier<@Nullable CacheBulkSource> sources;

	private final GuardedCall.Work uncached;

	private @Nullable Object context;

	private CacheBulkSource source;

	private ReadContext at;

	/** The entries that are looked up, in the order of the results. */
	private List<Entry> asked = List.of();

	private final List<Entry> missing = new ArrayList<>();

	private final Map<CacheKey, @Nullable Object> values = new HashMap<>();

	private @Nullable CacheLoad load;

	/**
	 * Creates a call.
	 * @param sources gives the entries when the call asks, or {@code null} if it does not
	 * read the cache
	 * @param uncached the work in that case
	 */
	CacheBulkCall(CacheReadParts parts, Supplier<@Nullable CacheBulkSource> sources, GuardedCall.Work uncached) {
		this.parts = parts;
		this.sources = sources;
		this.uncached = uncached;
	}

	@Override
	public void subscribed(Object subscribersContext) {
		this.context = subscribersContext;
	}

	/**
	 * Looks all entries up; in a second round those whose entries were of no use, to
	 * replace them.
	 */
	@Override
	public CompletableFuture<List<CacheLookup>> ask() {
		if (this.source != null) {
			return lookup();
		}
		CacheBulkSource found = this.sources.get();
		if (found == null) {
			return CompletableFuture.completedFuture(List.of());
		}
		this.source = found;
		this.at = this.parts.context(found.cache(), this.context);
		boolean due = this.parts.invalidations().isDue(found.cache());
		this.asked = new ArrayList<>();
		for (CacheKey key : found.entries().keySet()) {
			boolean inside = this.at.scope().isWriting(key) || this.at.scope().isLoading(key);
			NearValue held = inside ? null : this.parts.near().find(key, found.type(), found);
			if (held != null) {
				this.values.put(key, held.value());
			}
			else {
				((inside || due) ? this.missing : this.asked).add(new Entry(key));
			}
		}
		return lookup();
	}

	private CompletableFuture<List<CacheLookup>> lookup() {
		String cache = this.source.cache();
		List<CacheQuestion> questions = new ArrayList<>(this.asked.size());
		for (Entry entry : this.asked) {
			entry.token = this.parts.near().begin(entry.key);
			CacheQuestion question = new CacheQuestion(entry.key, this.at.settings(), this.source.type().readable(),
					false, false);
			questions.add((entry.rejected != null) ? question.replacing() : question);
		}
		CompletableFuture<Void> ready = this.parts.ready(cache, this.at.budget());
		CompletableFuture<List<CacheLookup>> judged = this.parts.loads()
			.lookupAll(questions, this.at.budget())
			.thenCompose((found) -> this.parts.stillReady(ready, cache, this.at.budget()).thenCompose((known) -> {
				if (!known) {
					// It is not known which entries were invalidated
					found.forEach((lookup) -> this.parts.loads().release(lookup.permit(), false));
				}
				return changesFirst(known ? found : Collections.nCopies(found.size(), Load.BYPASS));
			}));
		return CacheReadParts.handedOver(judged, () -> {
		}, this::unwanted);
	}

	/**
	 * Asks for the changes that wait for the store, of all entries that are about to be
	 * loaded.
	 */
	private CompletableFuture<List<CacheLookup>> changesFirst(List<CacheLookup> found) {
		if (!this.parts.behind().isBehind(this.source.cache())) {
			return CompletableFuture.completedFuture(found);
		}
		List<Entry> loads = new ArrayList<>(this.missing);
		for (int i = 0; i < found.size(); i++) {
			if (found.get(i) instanceof Load || this.asked.get(i).rejected != null) {
				loads.add(this.asked.get(i));
			}
		}
		return CompletableFuture
			.allOf(loads.stream()
				.map((entry) -> this.parts.behind()
					.pending(this.source.cache(), entry.key.parts())
					.handle((change, failure) -> entry.change = change))
				.toArray(CompletableFuture[]::new))
			.thenApply((none) -> found);
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(List<CacheLookup> found) {
		if (this.source == null) {
			return this.uncached;
		}
		boolean decided = false;
		try {
			Work work = take(found);
			decided = true;
			return work;
		}
		finally {
			if (!decided) {
				release(found, true);
			}
		}
	}

	private Work take(List<CacheLookup> found) {
		List<Entry> again = new ArrayList<>(0);
		for (int i = 0; i < found.size(); i++) {
			Entry entry = this.asked.get(i);
			Boolean rejected = entry.rejected;
			if (found.get(i) instanceof Load open) {
				entry.load = (rejected != null) ? open.replacing(rejected) : open;
				this.missing.add(entry);
			}
			else if (!takeContent(entry, found.get(i))) {
				((rejected != null) ? this.missing : again).add(entry);
			}
		}
		this.asked.forEach(Entry::close);
		this.asked = again;
		if (!again.isEmpty()) {
			return () -> this.parts.calls().start(this.source.form(), () -> this);
		}
		if (this.missing.isEmpty()) {
			return () -> this.source.promises().of(this.source.result(this.values));
		}
		CacheLoad begun = new CacheLoad(this.parts, this.source, this.at,
				this.missing.stream()
					.map((entry) -> new CacheLoad.Missing(entry.key, entry.load, entry.change))
					.toList(),
				this.values);
		this.load = begun;
		return begun.endingWithLease();
	}

	private boolean takeContent(Entry entry, CacheLookup lookup) {
		CacheType.Content content = this.source.type()
			.read((lookup instanceof CacheLookup.Found hit) ? hit.value() : ((CacheLookup.Expired) lookup).value());
		if (content == null || !this.parts.isCurrent(this.source, content)) {
			entry.rejected = content == null;
			entry.load = Load.UNSTORED.replacing(entry.rejected);
			return false;
		}
		this.values.put(entry.key, content.value());
		this.parts.near().keep(entry.token, lookup, this.source.type(), content);
		this.parts.publish(this.source.cache(), (lookup instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
		return true;
	}

	@Override
	public void release(List<CacheLookup> found) {
		unwanted(found);
	}

	private void unwanted(@Nullable List<CacheLookup> found) {
		if (this.load != null) {
			this.load.abandoned();
		}
		else {
			release((found != null) ? found : List.of(), false);
		}
	}

	// Entries of the first round that are missing as well
	private void release(List<CacheLookup> found, boolean failed) {
		found.forEach((lookup) -> this.parts.loads().release(lookup.permit(), failed));
		this.missing.forEach((entry) -> this.parts.loads().release(entry.load.permit(), failed));
		this.missing.clear();
		this.asked.forEach(Entry::close);
	}

	private static final class Entry {

		private final CacheKey key;

		private Load load = Load.BYPASS;

		private @Nullable NearToken token;

		/** Whether an entry was found that is of no use; true if it is unreadable. */
		private @Nullable Boolean rejected;

		/** The change that waits for the store, {@code null} if that is not known. */
		private volatile @Nullable PendingChange change;

		Entry(CacheKey key) {
			this.key = key;
		}

		void close() {
			if (this.token != null) {
				this.token.close();
			}
		}

	}

}
