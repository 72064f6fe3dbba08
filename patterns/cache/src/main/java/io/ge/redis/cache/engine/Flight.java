// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The readers of one entry that are under way together.
 */
final class Flight implements CacheLookup.Permit {

	final Long id;

	final CacheKey key;

	final Duration lease;

	/** Of the lease; another one's where that is shared. */
	volatile String token;

	/** The writers before an open lease, as Redis has shown them. */
	volatile @Nullable String seen;

	/** The result for those who joined it, {@code null} if they are to ask again. */
	final CompletableFuture<@Nullable CacheLookup> landed = new CompletableFuture<>();

	/** Completes when Redis has said whether a value must be awaited. */
	final CompletableFuture<Void> answered = new CompletableFuture<>();

	volatile CompletableFuture<Void> woken = new CompletableFuture<>();

	/** An expired value for callers that cannot wait any longer. */
	volatile byte @Nullable [] expired;

	Flight(long id, CacheKey key, Duration lease, String token) {
		this.id = id;
		this.key = key;
		this.lease = lease;
		this.token = token;
	}

	@Override
	public Duration lease() {
		return this.lease;
	}

	void arm() {
		this.woken = new CompletableFuture<>();
	}

	void wake() {
		this.woken.complete(null);
	}

	void land(@Nullable CacheLookup found) {
		this.landed.complete(found);
		this.answered.complete(null);
	}

	/**
	 * Waits until it is known whether this flight loads or waits. Before that it keeps
	 * nobody longer than a hit does.
	 */
	CompletableFuture<Void> answered(CallBudget budget) {
		return this.answered.thenApply((none) -> none)
			.completeOnTimeout(null, Math.max(0, budget.remainingNanos()), TimeUnit.NANOSECONDS);
	}

}
