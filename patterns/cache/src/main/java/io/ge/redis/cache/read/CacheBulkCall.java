// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLoads.Loaded;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheQuestion;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.near.NearToken;
import io.ge.redis.cache.near.NearValue;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * One call of a reader of several entries of a cache: looks all of them up together,
 * loads what is missing in one go, and stores what it has permits for. It waits for no
 * other caller: what others load is loaded here as well, and not stored.
 */
@SuppressWarnings("NullAway.Init") // asked before anything else
final class CacheBulkCall implements GuardedCall<List<CacheLookup>>, GuardedCall.Work {

	private final CacheReadParts parts;

	private final Supplier<@Nullable CacheBulkSource> sources;

	private final GuardedCall.Work uncached;

	private @Nullable Object context;

	private CacheBulkSource source;

	private CallerScope scope;

	private Snapshot snapshot;

	private CacheSettings settings;

	private CallBudget budget;

	/** The entries that are looked up, in the order of the results. */
	private List<Entry> asked = List.of();

	private final List<Entry> missing = new ArrayList<>();

	private final Map<CacheKey, @Nullable Object> values = new HashMap<>();

	private long stamp;

	/** The age of the reader's transaction when the load began, as scripts want it. */
	private long age;

	private boolean standIns;

	private boolean published;

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicBoolean spent = new AtomicBoolean();

	private final CompletableFuture<Void> leaseEnd = new CompletableFuture<>();

	private final List<CacheKey> within = new ArrayList<>(0);

	private volatile @Nullable Thread entered;

	private volatile long started;

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

	// Look up

	@Override
	public CompletableFuture<List<CacheLookup>> ask() {
		CacheBulkSource found = this.sources.get();
		if (found == null) {
			return CompletableFuture.completedFuture(List.of());
		}
		this.source = found;
		this.scope = this.parts.scope(this.context);
		this.snapshot = this.scope.snapshot();
		this.settings = this.parts.definitions().settings(found.cache());
		this.budget = this.parts.loads().newBudget();
		boolean due = this.parts.invalidations().isDue(found.cache());
		List<Entry> open = new ArrayList<>();
		for (CacheKey key : found.entries().keySet()) {
			boolean inside = this.scope.isWriting(key) || this.scope.isLoading(key);
			NearValue held = inside ? null : this.parts.near().find(key, found.type(), null);
			if (held != null) {
				this.values.put(key, held.value());
			}
			else if (inside || due) {
				this.missing.add(new Entry(key, Load.BYPASS));
			}
			else {
				open.add(new Entry(key, Load.UNSTORED));
			}
		}
		return ask(open);
	}

	private CompletableFuture<List<CacheLookup>> ask(List<Entry> open) {
		this.asked = open;
		List<CacheQuestion> questions = new ArrayList<>(open.size());
		for (Entry entry : open) {
			entry.token = this.parts.near().begin(entry.key);
			CacheQuestion question = new CacheQuestion(entry.key, this.settings, this.source.type().readable(), false,
					false);
			questions.add((entry.rejected != null) ? question.replacing() : question);
		}
		CompletableFuture<Void> ready = this.parts.ready(this.source.cache(), this.budget);
		CompletableFuture<List<CacheLookup>> judged = this.parts.loads()
			.lookupAll(questions, this.budget)
			.thenCompose((found) -> judge(found, ready));
		CompletableFuture<List<CacheLookup>> handed = new CompletableFuture<>();
		judged.whenComplete((found, failure) -> {
			if (failure != null) {
				giveBack(List.of());
				handed.completeExceptionally(Waiting.cause(failure));
			}
			else if (!handed.complete(found)) {
				giveBack(found);
			}
		});
		return handed;
	}

	private CompletableFuture<List<CacheLookup>> judge(List<CacheLookup> found, CompletableFuture<Void> ready) {
		return this.parts.stillReady(ready, this.source.cache(), this.budget).thenCompose((known) -> {
			if (!known) {
				// It is not known which entries were invalidated
				release(found, false);
			}
			return changesFirst(known ? found : Collections.nCopies(found.size(), Load.BYPASS));
		});
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
				giveBack(List.of());
			}
		}
	}

	private Work take(List<CacheLookup> found) {
		List<Entry> again = new ArrayList<>(0);
		for (int i = 0; i < found.size(); i++) {
			Entry entry = this.asked.get(i);
			boolean second = entry.rejected != null;
			if (found.get(i) instanceof Load load) {
				entry.load = second ? entry.replacing(load) : load;
				this.missing.add(entry);
			}
			else if (!takeContent(entry, found.get(i))) {
				(second ? this.missing : again).add(entry);
			}
		}
		this.asked.forEach(Entry::close);
		this.asked = List.of();
		if (!again.isEmpty()) {
			return () -> this.parts.calls().start(this.source.form(), () -> new Replacing(again));
		}
		if (this.missing.isEmpty()) {
			return () -> this.source.promises().of(this.source.result(this.values));
		}
		this.stamp = this.parts.invalidations().stamp(this.source.cache(), this.snapshot);
		this.age = this.snapshot.ageMillis();
		this.standIns = this.missing.stream().allMatch((entry) -> entry.load.standIn() != null);
		if (!this.standIns) {
			publishMisses();
		}
		if (!this.source.form().isPlain()) {
			this.leaseEnd.completeOnTimeout(null, this.settings.leaseTime().toMillis(), TimeUnit.MILLISECONDS)
				.thenRunAsync(() -> release(false));
		}
		return this;
	}

	private boolean takeContent(Entry entry, CacheLookup lookup) {
		boolean stale = lookup instanceof CacheLookup.Expired;
		CacheType.Content content = this.source.type()
			.read((lookup instanceof CacheLookup.Found hit) ? hit.value() : ((CacheLookup.Expired) lookup).value());
		if (content == null || !this.parts.isCurrent(this.source.cache(), content, null)) {
			entry.rejected = content == null;
			entry.load = entry.replacing(Load.UNSTORED);
			return false;
		}
		this.values.put(entry.key, content.value());
		this.parts.near().keep(entry.token, lookup, this.source.type(), content);
		this.parts.publish(this.source.cache(), stale ? Access.STALE : Access.HIT);
		return true;
	}

	@Override
	public void giveBack(List<CacheLookup> found) {
		release(found, false);
		this.asked.forEach(Entry::close);
		if (this.over.compareAndSet(false, true)) {
			release(false);
		}
	}

	private void release(List<CacheLookup> found, boolean failed) {
		// Those that were taken are released as missing entries
		if (!this.asked.isEmpty()) {
			found.forEach((lookup) -> this.parts.loads().release(lookup.permit(), failed));
		}
	}

	private void publishMisses() {
		if (!this.published) {
			this.published = true;
			this.missing.forEach((entry) -> this.parts.publishMiss(this.source.cache(), entry.load));
		}
	}

	// Load

	@Override
	public void begin(GuardedCall.Beginning beginning) throws Throwable {
		for (Entry entry : this.missing) {
			if (this.parts.transactions().beginLoad(entry.key)) {
				this.within.add(entry.key);
			}
		}
		this.entered = Thread.currentThread();
		try {
			beginning.run();
		}
		finally {
			leave();
		}
	}

	private void leave() {
		if (this.entered == Thread.currentThread()) {
			this.entered = null;
			this.within.forEach(this.parts.transactions()::endLoad);
		}
	}

	@Override
	public Object contextual(Object context) {
		return CallerScope.loading(context, this.missing.stream().map((entry) -> entry.key).toList());
	}

	@Override
	public @Nullable Object start() throws Throwable {
		this.started = System.nanoTime();
		boolean behind = this.parts.behind().isBehind(this.source.cache());
		List<CacheKey> keys = new ArrayList<>(this.missing.size());
		for (Entry entry : this.missing) {
			if (!behind || !takeChange(entry)) {
				keys.add(entry.key);
			}
		}
		if (keys.isEmpty()) {
			return this.source.promises().of(this.source.result(this.values));
		}
		GuardedCall.Work load = () -> this.source.load(keys);
		Object loading = this.standIns ? this.source.promises().recovered(load, this::standIn) : load.start();
		return this.source.promises().then(loading, (loaded) -> {
			if (!this.over.get()) {
				keys.forEach((key) -> this.values.put(key, this.source.value(key, loaded)));
			}
			return this.source.promises().of(this.source.result(this.values));
		});
	}

	private boolean takeChange(Entry entry) {
		PendingChange change = entry.change;
		entry.certain = change != null;
		if (change == null || !change.isPresent()) {
			return false;
		}
		try {
			this.values.put(entry.key, this.parts.behind().value(change, this.source.type().javaType()));
			return true;
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			// The database is what is left. It may be older than the change
			entry.certain = false;
			return false;
		}
	}

	/**
	 * Takes the values that are there, since no others could be loaded: only if there is
	 * one for every entry.
	 */
	private CompletableFuture<@Nullable Object> standIn(Throwable failure) {
		if (failure instanceof Error || failure instanceof CancellationException
				|| failure instanceof InterruptedException) {
			return CompletableFuture.failedFuture(failure);
		}
		failed();
		CompletableFuture<Boolean> ready = this.parts.ready(this.source.cache(), this.parts.loads().newBudget())
			.handle((none, problem) -> problem == null);
		return this.parts.calls().<Boolean, Boolean>handOver(ready, (known) -> known && standIn(), (unwanted) -> {
		})
			.toCompletableFuture()
			.thenCompose((found) -> found ? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(failure));
	}

	private boolean standIn() {
		Map<CacheKey, @Nullable Object> found = new HashMap<>();
		for (Entry entry : this.missing) {
			CacheType.Content content = this.parts.content(this.source.cache(), this.source.type(),
					entry.load.standIn(), null);
			if (content == null) {
				publishMisses();
				return false;
			}
			found.put(entry.key, content.value());
		}
		this.values.putAll(found);
		this.missing.forEach((entry) -> this.parts.publish(this.source.cache(), Access.STALE));
		return true;
	}

	// Store

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		leave();
		if (failure == null) {
			return loaded();
		}
		if (!(failure instanceof CancellationException)) {
			failed();
		}
		else if (this.over.compareAndSet(false, true)) {
			release(false);
		}
		return DONE;
	}

	private CompletableFuture<?> loaded() {
		if (!this.over.compareAndSet(false, true)) {
			return DONE;
		}
		boolean held = spend();
		List<Loaded> stored = new ArrayList<>(this.missing.size());
		try {
			long nanos = System.nanoTime() - this.started;
			publishMisses();
			this.parts.events().publish(new CacheEvent.Load(this.source.cache(), true, nanos));
			long millis = CacheReadParts.millis(nanos / this.missing.size());
			this.parts.values().loadedIn(this.source.cache(), millis);
			for (Entry entry : this.missing) {
				NewValue made = (held && entry.load.permit() != null && entry.certain) ? made(entry.key, millis) : null;
				if (made != null) {
					stored.add(new Loaded(entry.load.permit(), made));
					entry.filled = true;
				}
			}
		}
		finally {
			if (held) {
				this.missing.stream()
					.filter((entry) -> !entry.filled)
					.forEach((entry) -> this.parts.loads().discard(entry.load.permit()));
			}
		}
		if (stored.isEmpty()) {
			return DONE;
		}
		CompletableFuture<?> filled = this.parts.loads()
			.fillAll(stored, this.settings.leaseTime(), this.age, this.budget);
		return filled.isDone() ? DONE : filled;
	}

	private @Nullable NewValue made(CacheKey key, long millis) {
		Object value = this.values.get(key);
		return (!this.scope.isWriting(key) && this.source.storable().test(value))
				? this.parts.values().loaded(this.source.cache(), this.source.type(), value, millis, this.stamp, null)
				: null;
	}

	private void failed() {
		if (this.over.compareAndSet(false, true)) {
			try {
				long nanos = System.nanoTime() - this.started;
				this.parts.events().publish(new CacheEvent.Load(this.source.cache(), false, nanos));
			}
			finally {
				release(true);
			}
		}
	}

	private boolean spend() {
		boolean first = this.spent.compareAndSet(false, true);
		this.leaseEnd.complete(null);
		return first;
	}

	private void release(boolean failed) {
		if (spend()) {
			this.missing.forEach((entry) -> this.parts.loads().release(entry.load.permit(), failed));
		}
	}

	/**
	 * The second lookup of the same call, for entries that are of no use, to replace
	 * them.
	 */
	private final class Replacing implements GuardedCall<List<CacheLookup>> {

		private final List<Entry> rejected;

		Replacing(List<Entry> rejected) {
			this.rejected = rejected;
		}

		@Override
		public CompletableFuture<List<CacheLookup>> ask() {
			return CacheBulkCall.this.ask(this.rejected);
		}

		@Override
		public boolean isCancellable() {
			return true;
		}

		@Override
		public Work decide(List<CacheLookup> found) {
			return CacheBulkCall.this.decide(found);
		}

		@Override
		public void giveBack(List<CacheLookup> found) {
			CacheBulkCall.this.giveBack(found);
		}

	}

	private static final class Entry {

		private final CacheKey key;

		private Load load;

		private @Nullable NearToken token;

		/** Whether an entry was found that is of no use; true if it is unreadable. */
		private @Nullable Boolean rejected;

		/** The change that waits for the store, {@code null} if that is not known. */
		private volatile @Nullable PendingChange change;

		/** Whether what is loaded is not older than a change that waits. */
		private boolean certain = true;

		private boolean filled;

		Entry(CacheKey key, Load load) {
			this.key = key;
			this.load = load;
		}

		Load replacing(Load open) {
			return new Load(open.permit(), open.bypassed(), Boolean.TRUE.equals(this.rejected), null, false);
		}

		void close() {
			if (this.token != null) {
				this.token.close();
			}
		}

	}

}
