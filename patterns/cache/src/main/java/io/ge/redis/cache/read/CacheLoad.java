// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.behind.PendingChange;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheLookup.Permit;
import io.ge.redis.cache.engine.CacheTags;
import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.call.GuardedCall;
import org.jspecify.annotations.Nullable;

/**
 * Loads the value of an entry, and stores it if there is a permit for that. The permit is
 * used or released once: by whatever ends the load, or, if the promise of the value is
 * never kept, at the end of the lease.
 * <p>
 * Where the cache is written behind, a change that waits for the store is newer than the
 * database, and is taken instead.
 */
final class CacheLoad implements GuardedCall.Work {

	private final CacheCall call;

	private final CacheSource source;

	private final CacheReadParts parts;

	private final String cache;

	private final Load load;

	private final long stamp;

	/** The age of the reader's transaction when the load began, as scripts want it. */
	private final long age;

	private final @Nullable CacheTags tags;

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicReference<@Nullable Permit> permit;

	private final CompletableFuture<Void> spent = new CompletableFuture<>();

	private boolean published;

	/** Whether what is loaded is not older than a change that waits for the store. */
	private boolean certain = true;

	/** The thread on which the load begins, if it is the outermost one of its entry. */
	private volatile @Nullable Thread entered;

	private volatile long started = System.nanoTime();

	/**
	 * Begins a load.
	 * @param load what was looked up, with the permit to store the value
	 */
	CacheLoad(CacheCall call, Load load) {
		this.call = call;
		this.source = call.source;
		this.parts = call.parts;
		this.cache = call.key.cache();
		this.load = load;
		this.permit = new AtomicReference<>(load.permit());
		this.stamp = this.parts.invalidations().stamp(this.cache, call.snapshot);
		this.age = call.snapshot.ageMillis();
		this.tags = (load.permit() != null) ? this.source.tags() : null;
		if (load.standIn() == null || this.source.isOpen()) {
			publishMiss();
		}
	}

	private void publishMiss() {
		if (!this.published) {
			this.published = true;
			this.parts.publishMiss(this.cache, this.load);
		}
	}

	/**
	 * Ends it for a caller that loads by itself.
	 * @return the miss, or {@code null} if a change waits for the store
	 */
	@Nullable OpenMiss missed() {
		PendingChange change = this.call.change;
		if (change != null && change.isPresent()) {
			return null;
		}
		boolean older = change == null && this.parts.behind().isBehind(this.cache);
		if (older) {
			release(false);
		}
		return new OpenMiss(this.parts, this.call.key, this.source.type(), older ? Load.UNSTORED : this.load, this.age,
				this.stamp);
	}

	/**
	 * Releases the permit at its end: Redis has forgotten it, but others in this instance
	 * wait for a value that may never come.
	 */
	void endWithLease() {
		if (this.load.permit() != null) {
			this.spent.completeOnTimeout(null, this.call.settings.leaseTime().toMillis(), TimeUnit.MILLISECONDS)
				.thenRunAsync(() -> release(false));
		}
	}

	// Load

	@Override
	public void begin(GuardedCall.Beginning beginning) throws Throwable {
		if (this.parts.transactions().beginLoad(this.call.key)) {
			this.entered = Thread.currentThread();
		}
		try {
			beginning.run();
		}
		finally {
			leave();
		}
	}

	// Also at the end, which may come while it begins: the caller that has the value then
	// is outside
	private void leave() {
		if (this.entered == Thread.currentThread()) {
			this.entered = null;
			this.parts.transactions().endLoad(this.call.key);
		}
	}

	@Override
	public Object contextual(Object context) {
		return CallerScope.loading(context, List.of(this.call.key));
	}

	@Override
	public @Nullable Object start() throws Throwable {
		this.started = System.nanoTime();
		if (this.parts.behind().isBehind(this.cache)) {
			PendingChange change = this.call.change;
			this.certain = change != null;
			if (change != null && change.isPresent()) {
				try {
					Object waiting = this.parts.behind().value(change, this.source.type().javaType());
					return this.source.promises().of(this.source.result(waiting));
				}
				catch (RuntimeException | StackOverflowError | LinkageError ex) {
					// The database is what is left. It may be older than the change
					this.certain = false;
				}
			}
		}
		return (this.load.standIn() != null) ? this.source.promises().recovered(this.source::load, this::standIn)
				: this.source.load();
	}

	/**
	 * Takes the value that is there, since no other one could be loaded.
	 */
	private CompletableFuture<@Nullable Object> standIn(Throwable failure) {
		if (failure instanceof Error || failure instanceof CancellationException
				|| failure instanceof InterruptedException) {
			return CompletableFuture.failedFuture(failure);
		}
		failed();
		CompletableFuture<Boolean> ready = this.parts.ready(this.cache, this.parts.loads().newBudget())
			.handle((none, problem) -> problem == null);
		return this.parts.calls().handOver(ready, this::standIn, (content) -> {
		})
			.toCompletableFuture()
			.thenCompose((content) -> (content != null)
					? CompletableFuture.completedFuture(this.source.result(content.value()))
					: CompletableFuture.failedFuture(failure));
	}

	private CacheType.@Nullable Content standIn(boolean known) {
		CacheType.Content content = known
				? this.parts.content(this.cache, this.source.type(), this.load.standIn(), this.source) : null;
		if (content == null) {
			publishMiss();
		}
		else {
			this.parts.publish(this.cache, this.load.early() ? Access.HIT : Access.STALE);
		}
		return content;
	}

	// Store

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		leave();
		if (failure == null) {
			return loaded(value);
		}
		if (failure instanceof CancellationException) {
			abandoned();
		}
		else {
			failed();
		}
		return DONE;
	}

	private CompletableFuture<?> loaded(@Nullable Object loaded) {
		if (!this.over.compareAndSet(false, true)) {
			return DONE;
		}
		Permit held = spend();
		NewValue made = null;
		try {
			long nanos = System.nanoTime() - this.started;
			publishMiss();
			this.parts.events().publish(new CacheEvent.Load(this.cache, true, nanos));
			this.parts.values().loadedIn(this.cache, CacheReadParts.millis(nanos));
			made = (held != null && this.certain) ? made(this.source.plain(loaded), nanos) : null;
		}
		finally {
			if (made == null) {
				this.parts.loads().discard(held);
			}
		}
		if (held == null || made == null) {
			return DONE;
		}
		CompletableFuture<?> stored = this.parts.loads().fill(held, made, true, this.age, this.call.budget);
		return stored.isDone() ? DONE : stored;
	}

	/**
	 * Makes what is stored. In one transaction a writer may have begun meanwhile, whose
	 * row is not committed: then nothing is.
	 */
	private @Nullable NewValue made(@Nullable Object value, long nanos) {
		return (!this.call.scope.isWriting(this.call.key) && this.source.isStorable(value))
				? this.parts.values()
					.loaded(this.cache, this.source.type(), value, CacheReadParts.millis(nanos), this.stamp, this.tags)
				: null;
	}

	private void failed() {
		if (this.over.compareAndSet(false, true)) {
			try {
				long nanos = System.nanoTime() - this.started;
				this.parts.events().publish(new CacheEvent.Load(this.cache, false, nanos));
			}
			finally {
				release(true);
			}
		}
	}

	/**
	 * Ends it because no caller wants the value any more: the next one in line may load.
	 */
	void abandoned() {
		if (this.over.compareAndSet(false, true)) {
			release(false);
		}
	}

	private void release(boolean failed) {
		this.parts.loads().release(spend(), failed);
	}

	private @Nullable Permit spend() {
		Permit held = this.permit.getAndSet(null);
		this.spent.complete(null);
		return held;
	}

}
