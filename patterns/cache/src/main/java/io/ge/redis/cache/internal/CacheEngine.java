// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.CacheEvent.Outcome;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;

/**
 * Completes writers, asynchronously and without blocking. Removals that Redis does not
 * take are remembered, and repeated as soon as it answers. {@link WriteSteps} decides
 * whether a value is published or its entry removed; {@link CacheTransactions} calls it
 * after a commit. {@link CacheLoads} serves readers.
 */
public final class CacheEngine {

	private static final Duration RETRY = Duration.ofMillis(500);

	private static final int BATCH = 200;

	private final RedisCache redis;

	private final CacheJournal journal = new CacheJournal();

	private final CacheLoads loads;

	private final AtomicBoolean retrying = new AtomicBoolean();

	final CacheInvalidations invalidations;

	private final Executor soon = new CompletableFuture<>().defaultExecutor();

	private final Executor later = CompletableFuture.delayedExecutor(RETRY.toMillis(), TimeUnit.MILLISECONDS);

	private volatile boolean closed;

	/**
	 * Creates the engine.
	 * @param changed gets entries that a writer of this instance has changed
	 */
	public CacheEngine(RedisCache redis, CacheInvalidations invalidations, Consumer<CacheKey> changed) {
		this.redis = redis;
		this.invalidations = invalidations;
		this.loads = new CacheLoads(redis, this.journal, invalidations, changed);
		redis.onRecovery(this::recovered);
	}

	public void close() {
		this.closed = true;
		this.invalidations.close();
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	String newHandle() {
		return this.redis.newHandle();
	}

	public Duration intentTimeout() {
		return this.redis.intentTimeout();
	}

	public CacheJournal journal() {
		return this.journal;
	}

	/**
	 * Returns the number of removals that wait until Redis is available: of entries, and
	 * of whole caches.
	 */
	public int dueRemovals() {
		return this.journal.size() + this.invalidations.due();
	}

	public CacheLoads loads() {
		return this.loads;
	}

	/**
	 * Announces a writer. Never fails: an announcement that Redis does not take is noted.
	 */
	CompletableFuture<?> announce(CacheWrite write, boolean prolong) {
		return this.redis.announce(write.key, write.id, write.isOrdered(), prolong, write.budget)
			.handle((reply, failure) -> {
				if (failure != null) {
					this.journal.open(write.key, write.id);
					write.announcementFailed(isUnknown(failure), unchecked(write.key, failure));
				}
				this.loads.cutOff(write.key);
				return null;
			});
	}

	/**
	 * Extends an announcement. If that fails, it ends at its timeout.
	 */
	void prolong(CacheWrite write) {
		this.redis.announce(write.key, write.id, false, true, newBudget());
	}

	CompletableFuture<Outcome> publish(CacheWrite write, NewValue value) {
		return this.redis.publish(write.key, write.id, write.isOrdered(), value, write.budget)
			.handle((published, failure) -> {
				this.loads.cutOff(write.key);
				if (failure == null) {
					return CompletableFuture.completedFuture(published ? Outcome.PUBLISHED : Outcome.SUPERSEDED);
				}
				return invalidate(write, false);
			})
			.thenCompose((outcome) -> outcome);
	}

	/**
	 * Removes an entry after a writer, announced or not, or makes many entries outdated.
	 */
	CompletableFuture<Outcome> invalidate(CacheWrite write) {
		return invalidate(write, write.isUnannounced());
	}

	private CompletableFuture<Outcome> invalidate(CacheWrite write, boolean wasOpen) {
		if (write.key.isWhole()) {
			return this.invalidations.invalidate(write.key.cache(), write.tags(), write.budget);
		}
		this.journal.due(write.key, write.id, wasOpen, write.useful);
		return remove(write.key, write.budget);
	}

	/**
	 * Invalidates like {@link #invalidate}, after a writer with unknown outcome that is
	 * not open any more. Nothing happens after the engine is closed.
	 */
	void invalidateUnlessClosed(CacheWrite write) {
		if (!this.closed) {
			invalidate(write, false);
		}
	}

	void abort(CacheWrite write) {
		if (!write.isUnannounced()) {
			this.redis.abort(write.key, write.id, write.budget);
			return;
		}
		this.journal.forget(write.key);
		if (write.isPerhapsAnnounced()) {
			this.redis.abortEventually(write.key, write.id);
		}
	}

	/**
	 * Notes that the entry has another value, so that later readers do not join earlier
	 * ones.
	 */
	void changed(CacheKey key) {
		this.loads.cutOff(key);
	}

	private CompletableFuture<Outcome> remove(CacheKey key, CallBudget budget) {
		CacheJournal.Note note = this.journal.due(key);
		List<String> writers = (note != null) ? note.writers() : List.of();
		return this.redis.invalidate(key, writers, budget).handle((reply, failure) -> {
			this.loads.cutOff(key);
			if (failure != null) {
				this.journal.defer(key);
				retry();
				return Outcome.DEFERRED;
			}
			if (note != null) {
				this.journal.removed(key, note);
			}
			return Outcome.INVALIDATED;
		});
	}

	private void retry() {
		if (!this.closed && this.retrying.compareAndSet(false, true)) {
			this.later.execute(() -> {
				this.retrying.set(false);
				removeDeferred();
			});
		}
	}

	/**
	 * Called on a thread of the driver or of the breaker, which has other things to do.
	 */
	private void recovered() {
		this.soon.execute(this::removeDeferred);
	}

	/**
	 * Removes some of what could not be removed. Ends where nothing can be reached: then
	 * the recovery begins anew.
	 */
	private void removeDeferred() {
		if (this.closed || this.redis.isUnavailable()) {
			return;
		}
		List<CacheKey> reachable = this.journal.takeDeferred(BATCH, this.redis::isUnavailable);
		if (reachable.isEmpty()) {
			if (this.journal.hasDeferred()) {
				retry();
			}
			return;
		}
		List<CompletableFuture<Outcome>> removals = new ArrayList<>(reachable.size());
		reachable.forEach((key) -> removals.add(remove(key, newBudget())));
		CompletableFuture.allOf(removals.toArray(CompletableFuture[]::new)).thenRun(() -> {
			// Until then other instances may read what is outdated
			if (removals.stream().anyMatch((removal) -> removal.join() == Outcome.INVALIDATED)) {
				this.soon.execute(this::removeDeferred);
			}
			else if (this.journal.hasDeferred()) {
				retry();
			}
		});
	}

	private static RuntimeException unchecked(CacheKey key, Throwable failure) {
		if (Waiting.cause(failure) instanceof RedisUnavailableException unavailable) {
			return unavailable.ofCaller("cache '" + key.cache() + "'");
		}
		return (Waiting.cause(failure) instanceof RuntimeException cause) ? cause
				: new IllegalStateException(Waiting.cause(failure));
	}

	private static boolean isUnknown(Throwable failure) {
		return !(Waiting.cause(failure) instanceof RedisUnavailableException unavailable)
				|| unavailable.isOutcomeUnknown();
	}

}
