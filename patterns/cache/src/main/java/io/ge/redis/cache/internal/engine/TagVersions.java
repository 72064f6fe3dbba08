// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The versions of the tags of one cache, as far as this instance knows. They only rise.
 */
final class TagVersions {

	/** Beyond so many, what is older counts as outdated whatever its tags are. */
	private static final int MOST = 20_000;

	private final Map<Long, Long> tags = new ConcurrentHashMap<>();

	/** The version of all entries. */
	private final AtomicLong all = new AtomicLong();

	private final AtomicReference<Heard> heard = new AtomicReference<>(
			new Heard(0, System.nanoTime() - Long.MAX_VALUE / 2));

	private final AtomicReference<@Nullable CompletableFuture<Void>> refreshing = new AtomicReference<>();

	private volatile @Nullable Read first;

	private volatile @Nullable Read last;

	/**
	 * Returns the highest version. A value that is loaded from here on is stamped with
	 * it: whatever was invalidated with it was committed before.
	 */
	long highest() {
		return this.heard.get().version;
	}

	/**
	 * Returns whether no version was given since a time, as far as was heard. A value as
	 * of that time must not be stamped with one that was.
	 * @param nanos the time, by {@link System#nanoTime()}
	 */
	boolean isSilentSince(long nanos) {
		return this.heard.get().at - nanos < 0;
	}

	/**
	 * Returns whether no version was heard since the first read, for values whose time is
	 * unknown.
	 */
	boolean isSilentSinceFirstRead() {
		Read read = this.first;
		return ((read != null) ? read.version : 0) == highest();
	}

	long seen() {
		Read read = this.last;
		return (read != null) ? read.version : 0;
	}

	/**
	 * Returns when the last read began, by {@link System#nanoTime()}; long ago if there
	 * was none. Later changes may have been missed.
	 */
	long readAt() {
		Read read = this.last;
		return (read != null) ? read.begun : System.nanoTime() - Long.MAX_VALUE / 2;
	}

	/**
	 * Returns the server time in milliseconds, as of the last read; 0 if there was none.
	 * It serves as a hint only.
	 */
	long serverMillis() {
		Read read = this.last;
		return (read != null) ? read.serverMillis + (System.nanoTime() - read.begun) / 1_000_000 : 0;
	}

	boolean isOutdated(long stamp, long... ofEntry) {
		if (this.all.get() > stamp) {
			return true;
		}
		for (long tag : ofEntry) {
			Long version = this.tags.get(tag);
			if (version != null && version > stamp) {
				return true;
			}
		}
		return false;
	}

	void hear(CacheTags changed, long version) {
		put(changed, version);
		rise(version, System.nanoTime());
	}

	/**
	 * Reads the versions, or joins a read that is under way.
	 */
	CompletableFuture<Void> refresh(Supplier<CompletableFuture<Void>> read) {
		CompletableFuture<Void> present = this.refreshing.get();
		if (present != null) {
			return present;
		}
		CompletableFuture<Void> own = new CompletableFuture<>();
		CompletableFuture<Void> other = this.refreshing.compareAndExchange(null, own);
		if (other != null) {
			return other;
		}
		own.whenComplete((done, failure) -> this.refreshing.set(null));
		CompletableFuture.completedFuture(read).thenCompose(Supplier::get).whenComplete((done, failure) -> {
			if (failure == null) {
				own.complete(null);
			}
			else {
				own.completeExceptionally(failure);
			}
		});
		return own;
	}

	/**
	 * Takes over the result of a read.
	 * @param begun when it began, by {@link System#nanoTime()}: it shows all that was
	 * invalidated before
	 */
	void update(RedisInvalidations.Versions versions, long begun) {
		versions.changed().forEach((one) -> put(one.tag(), one.version()));
		rise(versions.last(), System.nanoTime() - versions.silentNanos());
		Read read = new Read(versions.last(), begun, versions.serverMillis());
		if (this.first == null) {
			this.first = read;
		}
		this.last = read;
	}

	// Before the highest version rises, so that no entry is stamped with an unknown one
	private void put(CacheTags changed, long version) {
		if (changed.isAll()) {
			outdateAll(version);
		}
		changed.hashes().forEach((tag) -> this.tags.merge(tag, version, Math::max));
		if (this.tags.size() > MOST) {
			long[] versions = this.tags.values().stream().mapToLong(Long::longValue).sorted().toArray();
			outdateAll(versions[versions.length / 2]);
		}
	}

	private void outdateAll(long version) {
		long outdated = this.all.accumulateAndGet(version, Math::max);
		this.tags.values().removeIf((other) -> other <= outdated);
	}

	private void rise(long version, long at) {
		Heard now = new Heard(version, at);
		this.heard
			.updateAndGet((before) -> (before.version < version || (before.version == version && at - before.at < 0))
					? now : before);
	}

	private record Heard(long version, long at) {
	}

	private record Read(long version, long begun, long serverMillis) {
	}

}
