// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The lookup of one entry by this instance, which its readers share, and the permit that
 * it may bring.
 */
final class InFlightLoad implements CacheLookup.Permit {

	final Long id;

	final CacheKey key;

	final Duration lease;

	/** Token of the lease; another one's where the lease is shared. */
	volatile String token;

	/** The writers before an open lease, as Redis has shown them. */
	volatile @Nullable String seen;

	/** The result for readers that joined, {@code null} if they are to ask again. */
	final CompletableFuture<@Nullable CacheLookup> result = new CompletableFuture<>();

	/** Completes when Redis has said whether a value must be awaited. */
	final CompletableFuture<Void> answered = new CompletableFuture<>();

	volatile CompletableFuture<Void> woken = new CompletableFuture<>();

	/** An expired value for callers that cannot wait any longer. */
	volatile byte @Nullable [] expired;

	InFlightLoad(long id, CacheKey key, Duration lease, String token) {
		this.id = id;
		this.key = key;
		this.lease = lease;
		this.token = token;
	}

	@Override
	public Duration lease() {
		return this.lease;
	}

	void wake() {
		this.woken.complete(null);
	}

	void complete(@Nullable CacheLookup found) {
		this.result.complete(found);
		this.answered.complete(null);
	}

	/**
	 * Waits for the result until a deadline, and then until it is known whether this load
	 * waits itself: before that it keeps no caller longer than a hit does.
	 */
	CompletableFuture<?> await(long nanos, CallBudget budget) {
		return this.result.<@Nullable Void>thenApply((found) -> null)
			.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS)
			.thenCompose((none) -> this.answered.isDone() ? this.answered : this.answered.copy()
				.completeOnTimeout(null, Math.max(0, budget.remainingNanos()), TimeUnit.NANOSECONDS));
	}

}
