// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.internal.CacheCall.Entry;
import io.ge.redis.cache.internal.CacheLoads.Loaded;
import io.ge.redis.cache.internal.behind.PendingChange;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheLookup.Permit;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * Loads values of entries in one go, and stores those for which there are permits. A
 * permit is used or released once: by whatever ends the load, or, if the promise of the
 * values is never kept, at the end of the lease.
 * <p>
 * Where the cache is written behind, changes that wait for the store are newer than the
 * database, and are taken instead.
 */
final class CacheLoad implements GuardedCall.Work {

	private final CacheCall call;

	private final CacheReader reader;

	private final CacheSource source;

	private final List<Entry> missing;

	private final long stamp;

	/** The age of the reader's transaction when the load began, as scripts want it. */
	private final long age;

	private final @Nullable CacheTags tags;

	/** Whether each of them has an expired value to return if the load fails. */
	private final boolean recoverable;

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicBoolean spent = new AtomicBoolean();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private final List<CacheKey> within = new ArrayList<>(1);

	private boolean published;

	private volatile @Nullable Thread entered;

	private volatile long started = System.nanoTime();

	/**
	 * Begins a load.
	 * @param missing the entries of the call to load
	 */
	CacheLoad(CacheCall call, List<Entry> missing) {
		this.call = call;
		this.reader = call.reader;
		this.source = call.source;
		this.missing = missing;
		this.stamp = this.reader.invalidations().stamp(this.source.cache(), call.snapshot);
		this.age = call.snapshot.ageMillis();
		boolean permitted = missing.stream().anyMatch((each) -> each.load().permit() != null);
		this.tags = permitted ? this.source.tags() : null;
		this.recoverable = missing.stream().allMatch((each) -> each.load().standIn() != null);
		if (!this.recoverable) {
			publishMisses();
		}
	}

	/**
	 * Publishes what the caller has asked for in vain, once.
	 */
	private void publishMisses() {
		if (!this.published) {
			this.published = true;
			this.missing.forEach((each) -> this.reader.publishMiss(this.source.cache(), each.load()));
		}
	}

	/**
	 * Ends it for a caller that loads by itself.
	 * @return the miss, or {@code null} if a change waits for the store
	 */
	@Nullable OpenMiss missed() {
		publishMisses();
		Entry only = this.missing.get(0);
		if (only.change != null && only.change.isPresent()) {
			return null;
		}
		boolean older = only.change == null && this.reader.behind().isBehind(this.source.cache());
		if (older) {
			release(false);
		}
		return new OpenMiss(this.reader, only.key, this.source.type(), older ? Load.UNSTORED : only.load(), this.age,
				this.stamp);
	}

	/**
	 * Releases the permits at their end: Redis has forgotten them, but others in this
	 * instance wait for values that may never come.
	 */
	CacheLoad endingWithLease() {
		if (!this.source.form().isPlain()) {
			this.end.completeOnTimeout(null, this.call.settings.leaseTime().toMillis(), TimeUnit.MILLISECONDS)
				.thenRunAsync(() -> release(false));
		}
		return this;
	}

	// Load

	@Override
	public void begin(GuardedCall.Beginning beginning) throws Throwable {
		for (Entry each : this.missing) {
			if (this.reader.transactions().beginLoad(each.key)) {
				this.within.add(each.key);
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

	// Also at the end, which may come while it begins: the caller that has the values
	// then is outside
	private void leave() {
		if (this.entered == Thread.currentThread()) {
			this.entered = null;
			this.within.forEach(this.reader.transactions()::endLoad);
		}
	}

	@Override
	public Object contextual(Object context) {
		return OpenWork.with(context, List.of(), this.missing.stream().map((each) -> each.key).toList());
	}

	@Override
	public @Nullable Object start() throws Throwable {
		this.started = System.nanoTime();
		boolean behind = this.reader.behind().isBehind(this.source.cache());
		List<CacheKey> wanted = new ArrayList<>(this.missing.size());
		for (Entry each : this.missing) {
			each.changed = behind && takeChange(each);
			if (!each.changed) {
				wanted.add(each.key);
			}
		}
		if (wanted.isEmpty()) {
			return this.source.promises().of(this.call.result());
		}
		GuardedCall.Work load = () -> this.source.load(wanted);
		Object loading = this.recoverable ? this.source.promises().recovered(load, this::standIn) : load.start();
		return (this.source instanceof CacheSource.Several) ? this.source.promises().then(loading, this::all) : loading;
	}

	private boolean takeChange(Entry each) {
		PendingChange change = each.change;
		try {
			if (change != null && change.isPresent()) {
				each.value = this.reader.behind().value(change, this.source.type().javaType());
				return true;
			}
		}
		catch (RuntimeException | StackOverflowError | LinkageError ex) {
			// The database is what is left. It may be older than the change
		}
		return false;
	}

	private @Nullable Object all(@Nullable Object result) {
		take(result);
		return this.source.promises().of(this.call.result());
	}

	private void take(@Nullable Object result) {
		for (Entry each : this.missing) {
			if (!each.changed) {
				each.value = this.source.value(each.key, result);
			}
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
		CompletableFuture<Boolean> ready = this.reader.invalidations()
			.ready(this.source.cache(), this.reader.loads().newBudget())
			.handle((none, problem) -> problem == null);
		return this.reader.calls().<Boolean, Boolean>handOver(ready, (known) -> known && standIn(), (unwanted) -> {
		})
			.toCompletableFuture()
			.thenCompose((found) -> found ? CompletableFuture.completedFuture(this.call.result())
					: CompletableFuture.failedFuture(failure));
	}

	private boolean standIn() {
		for (Entry each : this.missing) {
			byte[] entry = each.load().standIn();
			CacheType.Content content = (entry != null) ? this.source.type().read(entry) : null;
			if (content == null || !this.reader.isCurrent(this.source, content)) {
				publishMisses();
				return false;
			}
			each.value = content.value();
		}
		this.missing.forEach(
				(each) -> this.reader.publish(this.source.cache(), each.load().early() ? Access.HIT : Access.STALE));
		return true;
	}

	// Store

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		leave();
		if (failure == null) {
			return store(value);
		}
		if (failure instanceof CancellationException) {
			abandoned();
		}
		else {
			failed();
		}
		return DONE;
	}

	private CompletableFuture<?> store(@Nullable Object result) {
		if (!this.over.compareAndSet(false, true)) {
			return DONE;
		}
		boolean held = spend();
		List<Loaded> stored = new ArrayList<>(this.missing.size());
		try {
			long nanos = System.nanoTime() - this.started;
			publishMisses();
			this.reader.events().publish(new CacheEvent.Load(this.source.cache(), true, nanos));
			long millis = CacheReader.millis(nanos / this.missing.size());
			this.reader.values().loadedIn(this.source.cache(), millis);
			take(result);
			if (held) {
				make(stored, millis);
			}
		}
		catch (RuntimeException | Error ex) {
			if (held) {
				this.missing.forEach((each) -> this.reader.loads().discard(each.load().permit()));
			}
			throw ex;
		}
		if (stored.isEmpty()) {
			return DONE;
		}
		CompletableFuture<?> filled = this.reader.loads()
			.fillAll(stored, this.call.settings.leaseTime(), this.age, this.call.budget);
		return filled.isDone() ? DONE : filled;
	}

	/**
	 * Makes what is stored, and discards the permits of the rest. In one transaction a
	 * writer may have begun meanwhile, whose row is not committed: then it is not stored.
	 * Nor is what may be older than a change that waits.
	 */
	private void make(List<Loaded> stored, long millis) {
		boolean behind = this.reader.behind().isBehind(this.source.cache());
		for (Entry each : this.missing) {
			Permit permit = each.load().permit();
			boolean certain = !behind || (each.change != null && (!each.change.isPresent() || each.changed));
			boolean storable = permit != null && certain && !this.call.scope.isWriting(each.key)
					&& this.source.isStorable(each.value);
			NewValue value = storable
					? this.reader.values()
						.loaded(this.source.cache(), this.source.type(), each.value, millis, this.stamp, this.tags)
					: null;
			if (permit != null && value != null) {
				stored.add(new Loaded(permit, value));
			}
			else {
				this.reader.loads().discard(permit);
			}
		}
	}

	private void failed() {
		if (this.over.compareAndSet(false, true)) {
			try {
				long nanos = System.nanoTime() - this.started;
				this.reader.events().publish(new CacheEvent.Load(this.source.cache(), false, nanos));
			}
			finally {
				release(true);
			}
		}
	}

	/**
	 * Ends it because no caller wants the values any more: the next one in line may load.
	 */
	void abandoned() {
		if (this.over.compareAndSet(false, true)) {
			release(false);
		}
	}

	private boolean spend() {
		boolean first = this.spent.compareAndSet(false, true);
		this.end.complete(null);
		return first;
	}

	private void release(boolean failed) {
		if (spend()) {
			this.missing.forEach((each) -> this.reader.loads().release(each.load().permit(), failed));
		}
	}

}
