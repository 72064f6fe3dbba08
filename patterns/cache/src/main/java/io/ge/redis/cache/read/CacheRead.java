// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheBatch;
import io.ge.redis.cache.engine.CacheBatch.Decided;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheQuestion;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.near.NearToken;
import io.ge.redis.cache.near.NearValue;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One caller's reading: takes what is there, and says what is to be loaded, which a
 * {@link CacheLoad} does in one go; then what others load is waited for, and taken or
 * loaded. Nothing here blocks; who wants to waits for the stages.
 * <p>
 * Its steps follow one another. It may be closed while one is under way, by an abandoned
 * call, and is so when that one is over.
 */
final class CacheRead {

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	final CacheSource source;

	final CacheReadParts parts;

	private final CallerScope scope;

	final Snapshot snapshot;

	final CacheSettings settings;

	final CallBudget budget;

	private Map<CacheKey, @Nullable Object> values;

	/** Keys whose entries are of no use, and whether they cannot be read. */
	private Map<CacheKey, Boolean> rejected = Map.of();

	private Map<CacheKey, NearToken> tokens = Map.of();

	/** Changes that wait for the store, {@code null} where that is not known. */
	private Map<CacheKey, @Nullable PendingChange> changes = Map.of();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final AtomicReference<State> state = new AtomicReference<>(State.RESTING);

	private List<CacheKey> passing = List.of();

	private @Nullable CacheBatch batch;

	CacheRead(CacheSource source, CallerScope scope, CacheReadParts parts) {
		this.source = source;
		this.scope = scope;
		this.snapshot = scope.snapshot();
		this.parts = parts;
		this.settings = parts.definitions().settings(source.cache());
		this.budget = parts.flights().newBudget();
		this.values = isSingle() ? Map.of() : new HashMap<>();
	}

	boolean isWriting(CacheKey key) {
		return this.scope.isWriting(key);
	}

	private boolean isSingle() {
		return this.source instanceof CacheEntrySource;
	}

	/**
	 * Begins: takes what is in memory, and asks for the rest. Of one entry the memory was
	 * asked before.
	 * @return completes with what was found, perhaps on a thread of the driver. Its
	 * permits must be used or released
	 */
	CompletableFuture<List<Decided>> begin() {
		List<CacheBatch.Way> open = new ArrayList<>(1);
		boolean due = this.parts.invalidations().isDue(this.source.cache());
		for (CacheKey key : this.source.keys()) {
			boolean inside = this.scope.isWriting(key) || this.scope.isLoading(key);
			NearValue held = (inside || isSingle()) ? null
					: this.parts.near().find(key, this.source.type(), this.source);
			if (held != null) {
				this.values.put(key, held.value());
			}
			else if (inside || due) {
				this.passing = this.passing.isEmpty() ? new ArrayList<>(1) : this.passing;
				this.passing.add(key);
			}
			else {
				open.add(new CacheBatch.Way(question(key)));
				NearToken token = this.parts.near().begin(key);
				if (token != null) {
					this.tokens = this.tokens.isEmpty() ? new HashMap<>(2) : this.tokens;
					this.tokens.put(key, token);
				}
			}
		}
		if (open.isEmpty()) {
			return pendingFirst(List.of());
		}
		this.batch = this.parts.flights().batch(open, this.passing.isEmpty(), this.budget);
		return look(this.batch, ready());
	}

	private CacheQuestion question(CacheKey key) {
		boolean refreshable = isSingle() && !this.snapshot.transactional();
		return new CacheQuestion(key, this.settings, this.source.type().readable(), this.source.isOpen(), refreshable);
	}

	/**
	 * Goes on: waits for what others load, and asks for it.
	 * @return completes with what was found, perhaps on a thread of the driver
	 */
	CompletableFuture<List<Decided>> goOn() {
		CacheBatch asked = this.batch;
		return (asked != null) ? waitAndLook(asked) : CompletableFuture.completedFuture(List.of());
	}

	private CompletableFuture<List<Decided>> waitAndLook(CacheBatch asked) {
		return CompletableFuture.anyOf(asked.settled(), this.gone)
			.thenCompose(
					(none) -> this.gone.isDone() ? CompletableFuture.completedFuture(List.of()) : look(asked, DONE));
	}

	private CompletableFuture<List<Decided>> look(CacheBatch asked, CompletableFuture<Void> ready) {
		return asked.look()
			.thenCompose((decided) -> (decided.isEmpty() && this.passing.isEmpty()) ? waitAndLook(asked)
					: judge(decided, ready));
	}

	private CompletableFuture<List<Decided>> judge(List<Decided> decided, CompletableFuture<Void> ready) {
		// Once more, since what is known has grown older for whoever has waited
		CompletableFuture<Void> known = isReady(ready) ? ready() : ready.thenCompose((none) -> ready());
		return isReady(known) ? pendingFirst(decided)
				: known.handle((none, failure) -> (failure == null) ? decided : passBy(decided))
					.thenCompose(this::pendingFirst);
	}

	private CompletableFuture<Void> ready() {
		return this.parts.invalidations().ready(this.source.cache(), this.budget);
	}

	private static boolean isReady(CompletableFuture<Void> ready) {
		return ready.isDone() && !ready.isCompletedExceptionally();
	}

	// Nobody knows what is outdated
	private List<Decided> passBy(List<Decided> unjudged) {
		giveBack(unjudged, false);
		return unjudged.stream().map((decided) -> new Decided(decided.key(), Load.BYPASS)).toList();
	}

	/**
	 * Asks for changes that wait for the store, of all that is about to be loaded: the
	 * database is older then.
	 * @return completes with what was found when it is known what there is of them; never
	 * exceptionally
	 */
	CompletableFuture<List<Decided>> pendingFirst(List<Decided> found) {
		if (!this.parts.behind().isBehind(this.source.cache())) {
			return CompletableFuture.completedFuture(found);
		}
		List<CacheKey> loaded = new ArrayList<>(this.passing);
		for (Decided decided : found) {
			// An entry that is found in the second place may again be of no use
			if (decided.lookup() instanceof Load || isDue(decided.lookup())
					|| this.rejected.containsKey(decided.key())) {
				loaded.add(decided.key());
			}
		}
		List<CompletableFuture<@Nullable PendingChange>> asked = new ArrayList<>(loaded.size());
		for (CacheKey key : loaded) {
			asked.add(this.parts.behind()
				.pending(this.source.cache(), key.parts())
				.<@Nullable PendingChange>handle((change, failure) -> (failure == null) ? change : null));
		}
		return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply((none) -> {
			this.changes = new HashMap<>(this.changes);
			for (int i = 0; i < loaded.size(); i++) {
				this.changes.put(loaded.get(i), asked.get(i).join());
			}
			return found;
		});
	}

	/**
	 * Takes what was found.
	 * @return what the caller loads now, or {@code null} if there is nothing to load
	 * @throws CacheLoadTimeoutException if another caller loads for too long and the
	 * cache is configured to fail then
	 */
	@Nullable CacheLoad take(List<Decided> found) {
		List<CacheLoad.Missing> open = new ArrayList<>(0);
		boolean taken = false;
		try {
			this.passing.forEach((key) -> open.add(new CacheLoad.Missing(key, Load.BYPASS)));
			this.passing = List.of();
			take(found, open);
			open.forEach((missing) -> stopKeeping(missing.key()));
			CacheLoad load = open.isEmpty() ? null : new CacheLoad(this, open, this.changes);
			taken = true;
			return load;
		}
		finally {
			if (!taken) {
				giveBack(found, true);
			}
		}
	}

	private void take(List<Decided> found, List<CacheLoad.Missing> open) {
		boolean late = false;
		for (Decided decided : found) {
			CacheKey key = decided.key();
			CacheLookup lookup = decided.lookup();
			if (lookup instanceof Load load) {
				open.add(new CacheLoad.Missing(key, this.rejected.containsKey(key) ? replacing(key, load) : load));
			}
			else if (lookup instanceof CacheLookup.Late) {
				this.parts.tell(this.source.cache(), Access.MISS);
				late = true;
			}
			else if (isDue(lookup)) {
				CacheLookup.Found early = (CacheLookup.Found) lookup;
				open.add(new CacheLoad.Missing(key, new Load(early.refresh(), false, false, early.value(), true)));
			}
			else if (!takeContent(key, lookup)) {
				open.add(new CacheLoad.Missing(key, replacing(key, Load.UNSTORED)));
			}
		}
		if (late) {
			throw new CacheLoadTimeoutException(this.source.cache());
		}
	}

	private Load replacing(CacheKey key, Load load) {
		return new Load(load.permit(), load.bypassed(), Boolean.TRUE.equals(this.rejected.get(key)), null, false);
	}

	/**
	 * Takes the value of an entry, or has the entry asked for once more, to be replaced.
	 * @return whether neither is to be loaded now
	 */
	private boolean takeContent(CacheKey key, CacheLookup lookup) {
		byte[] bytes = (lookup instanceof CacheLookup.Found found) ? found.value()
				: ((CacheLookup.Expired) lookup).value();
		CacheType.Content content = this.source.type().read(bytes);
		if (content != null && !isOutdated(content)) {
			put(Collections.singletonMap(key, content.value()), 0);
			this.parts.near().keep(this.tokens.get(key), lookup, this.source.type(), content);
			this.parts.tell(this.source.cache(), (lookup instanceof CacheLookup.Expired) ? Access.STALE : Access.HIT);
			return true;
		}
		this.rejected = this.rejected.isEmpty() ? new HashMap<>(2) : this.rejected;
		if (this.batch == null || this.rejected.put(key, content == null) != null) {
			return false;
		}
		stopKeeping(key);
		this.batch.replace(question(key));
		return true;
	}

	/**
	 * Returns whether this caller replaces a value before it expires. Every load runs in
	 * a caller, with all that is bound to it.
	 */
	private boolean isDue(CacheLookup lookup) {
		return lookup instanceof CacheLookup.Found found && found.refresh() != null && content(found.value()) != null;
	}

	CacheType.@Nullable Content content(byte[] entry) {
		CacheType.Content content = this.source.type().read(entry);
		return (content != null && !isOutdated(content)) ? content : null;
	}

	/**
	 * Returns whether an entry is of no use although it is readable: it was invalidated,
	 * or has no tags and should have some.
	 */
	private boolean isOutdated(CacheType.Content content) {
		long[] tags = content.header().tags();
		return this.parts.invalidations().isOutdated(this.source.cache(), content.header().stamp(), tags)
				|| (tags.length == 0 && NearReader.isTagged(this.source));
	}

	/**
	 * Takes what the caller has loaded, or what stands in for that.
	 * @param nanos how long it has loaded, which is no waiting
	 */
	void put(Map<CacheKey, @Nullable Object> loaded, long nanos) {
		if (isSingle()) {
			this.values = loaded;
		}
		else {
			this.values.putAll(loaded);
		}
		if (this.batch != null) {
			this.batch.loaded(nanos);
		}
	}

	boolean isDone() {
		return this.batch == null || this.batch.isDone();
	}

	@Nullable Object result() {
		return this.source.result(this.values);
	}

	/**
	 * Releases what was found for a caller that does not take it.
	 * @param failed whether that is no choice of the caller
	 */
	void giveBack(List<Decided> found, boolean failed) {
		for (Decided decided : found) {
			CacheLookup.Permit permit = null;
			if (decided.lookup() instanceof Load load) {
				permit = load.permit();
			}
			else if (decided.lookup() instanceof CacheLookup.Found entry) {
				permit = entry.refresh();
			}
			if (permit != null) {
				this.parts.flights().release(permit, failed);
			}
		}
	}

	private void stopKeeping(CacheKey key) {
		NearToken token = this.tokens.get(key);
		if (token != null) {
			token.close();
		}
	}

	/**
	 * Enters a step.
	 * @return whether the reading is not closed
	 */
	boolean enter() {
		return this.state.compareAndSet(State.RESTING, State.UNDER_WAY);
	}

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
		if (!this.tokens.isEmpty()) {
			this.tokens.values().forEach(NearToken::close);
		}
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

}
