// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.ge.redis.cache.CacheEvent.Outcome;
import io.ge.redis.core.outage.CallBudget;

/**
 * Invalidations of many entries at once. Each gives its tags a new version, higher than
 * any before in that cache. An entry is stamped with the highest version known before its
 * load. It is outdated if one of its tags has a higher version now. Readers compare the
 * two from memory. Messages update this memory, and a background read of Redis at half of
 * {@code max-staleness} confirms it.
 * <p>
 * A version that is known late makes a stamp too low, which costs a load and nothing
 * else. A reader in a transaction may see an older database: its value is stored only if
 * no version was given since that began.
 * <p>
 * Invalidations that Redis does not take are kept, and sent as soon as it answers. Until
 * then this instance bypasses such a cache.
 */
public final class CacheInvalidations {

	/** Replaces a stamp where a value must not be stored. */
	public static final long UNSTAMPABLE = -1;

	private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

	private static final Duration RETRY = Duration.ofMillis(500);

	private final RedisInvalidations redis;

	private final Function<String, Duration> kept;

	private final long maxStaleness;

	private final Map<String, TagVersions> versions = new ConcurrentHashMap<>();

	private final Map<String, Due> due = new ConcurrentHashMap<>();

	private final AtomicBoolean retrying = new AtomicBoolean();

	private final Executor soon = new CompletableFuture<>().defaultExecutor();

	private final Executor later = CompletableFuture.delayedExecutor(RETRY.toMillis(), TimeUnit.MILLISECONDS);

	private volatile boolean closed;

	/**
	 * Creates the invalidations.
	 * @param kept the time that an entry of a cache may stay after it was stamped
	 */
	public CacheInvalidations(RedisInvalidations redis, Function<String, Duration> kept, Duration maxStaleness) {
		this.redis = redis;
		this.kept = kept;
		this.maxStaleness = maxStaleness.toNanos();
		redis.onInvalidation(this::heard);
		redis.onRecovery(() -> this.soon.execute(this::sendDue));
	}

	public void close() {
		this.closed = true;
	}

	// Readers

	/**
	 * Completes when what is known of a cache is not too old to be relied on.
	 * @return completes exceptionally if Redis is unavailable
	 */
	public CompletableFuture<Void> ready(String cache, CallBudget budget) {
		TagVersions known = versions(cache);
		long unconfirmed = System.nanoTime() - known.readAt();
		if (unconfirmed <= this.maxStaleness / 2) {
			return READY;
		}
		if (unconfirmed <= this.maxStaleness) {
			refresh(cache, known, this.redis.newBudget());
			return READY;
		}
		return refresh(cache, known, budget);
	}

	/**
	 * Returns when the versions of a cache were read last, and has them read soon if that
	 * was too long ago.
	 * @param since when it should have been at the earliest
	 * @return by {@link System#nanoTime()}; long ago if never
	 */
	public long readAt(String cache, long since) {
		TagVersions known = versions(cache);
		long last = known.readAt();
		if (last - since < 0) {
			refresh(cache, known, this.redis.newBudget());
		}
		return last;
	}

	/**
	 * Returns about the server time in milliseconds, 0 if it is not known.
	 */
	public long serverMillis(String cache) {
		return versions(cache).serverMillis();
	}

	private CompletableFuture<Void> refresh(String cache, TagVersions known, CallBudget budget) {
		return known.refresh(() -> {
			long begun = System.nanoTime();
			return this.redis.read(cache, known.seen(), known.highest(), this.kept.apply(cache), budget)
				.thenAccept((found) -> known.update(found, begun));
		});
	}

	/**
	 * Returns what a value is stamped with whose loading begins now.
	 * @param snapshot as of when the loader sees the database
	 */
	public long stamp(String cache, Snapshot snapshot) {
		TagVersions known = versions(cache);
		long stamp = known.highest();
		return isOlder(known, snapshot) ? UNSTAMPABLE : stamp;
	}

	/**
	 * Returns the stamp like {@link #stamp}, after a read if the known versions are too
	 * old. If they remain so, a value that is stamped with an old version is loaded
	 * again.
	 * @return completes with the stamp, never exceptionally
	 */
	public CompletableFuture<Long> stampWhenReady(String cache, Snapshot snapshot, CallBudget budget) {
		return ready(cache, budget).handle((ready, failure) -> stamp(cache, snapshot));
	}

	private static boolean isOlder(TagVersions known, Snapshot snapshot) {
		if (!snapshot.transactional()) {
			return false;
		}
		return snapshot.dated() ? !known.isSilentSince(snapshot.began()) : !known.isSilentSinceFirstRead();
	}

	public boolean isOutdated(String cache, long stamp, long... tags) {
		return versions(cache).isOutdated(stamp, tags);
	}

	/**
	 * Returns whether an entry may be served from memory: it is not outdated, and what is
	 * known is not too old to be relied on. Reads in the background in time, as
	 * {@link #ready}.
	 * @param now the time, by {@link System#nanoTime()}
	 * @param tags the hashes of its tags
	 */
	public boolean isServable(String cache, long now, long stamp, long[] tags) {
		TagVersions known = versions(cache);
		long unconfirmed = now - known.readAt();
		if (unconfirmed > this.maxStaleness) {
			return false;
		}
		if (unconfirmed > this.maxStaleness / 2) {
			refresh(cache, known, this.redis.newBudget());
		}
		return !known.isOutdated(stamp, tags);
	}

	/**
	 * Returns whether an invalidation has yet to reach Redis, so that entries there may
	 * be outdated without showing it.
	 */
	public boolean isDue(String cache) {
		return !this.due.isEmpty() && this.due.containsKey(cache);
	}

	public int due() {
		return this.due.size();
	}

	private TagVersions versions(String cache) {
		TagVersions known = this.versions.get(cache);
		return (known != null) ? known : this.versions.computeIfAbsent(cache, (name) -> new TagVersions());
	}

	// An instance that has not read the cache gets all versions with its first read
	private void heard(String cache, long version, CacheTags tags) {
		TagVersions known = this.versions.get(cache);
		if (known != null) {
			known.hear(tags, version);
		}
	}

	// Writers

	/**
	 * Makes entries count as outdated.
	 * @return completes when Redis has taken them, or is unavailable; never exceptionally
	 */
	public CompletableFuture<Outcome> invalidate(String cache, CacheTags tags, CallBudget budget) {
		if (tags.isEmpty()) {
			return CompletableFuture.completedFuture(Outcome.INVALIDATED);
		}
		return send(cache, tags, budget).handle((done, failure) -> {
			if (failure == null) {
				return Outcome.INVALIDATED;
			}
			this.due.merge(cache, new Due(tags), Due::plus);
			retry();
			return Outcome.DEFERRED;
		});
	}

	private CompletableFuture<Void> send(String cache, CacheTags tags, CallBudget budget) {
		TagVersions known = versions(cache);
		return this.redis.outdate(cache, tags, known.highest(), this.kept.apply(cache), budget)
			.thenAccept((outdated) -> known.hear(outdated.tags(), outdated.version()));
	}

	private void retry() {
		if (!this.closed && this.retrying.compareAndSet(false, true)) {
			this.later.execute(() -> {
				this.retrying.set(false);
				sendDue();
			});
		}
	}

	private void sendDue() {
		if (!this.closed) {
			this.due
				.forEach((cache, all) -> send(cache, all.tags, this.redis.newBudget()).whenComplete((done, failure) -> {
					if (failure == null) {
						this.due.remove(cache, all);
					}
					else {
						retry();
					}
				}));
		}
	}

	/**
	 * The invalidations of a cache that have yet to reach Redis. Each object is unique:
	 * tags that are added while it is sent make another one.
	 */
	private static final class Due {

		private final CacheTags tags;

		Due(CacheTags tags) {
			this.tags = tags;
		}

		Due plus(Due other) {
			return new Due(this.tags.plus(other.tags));
		}

	}

}
