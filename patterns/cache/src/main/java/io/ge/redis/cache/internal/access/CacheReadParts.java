// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheLoads;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheRegistry;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.CacheValues;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all readers have in common, and the steps that they share.
 */
public record CacheReadParts(CacheRegistry definitions, CacheLoads loads, CacheValues values,
		CacheInvalidations invalidations, CacheTransactions transactions, ReactiveCacheTransactions reactive,
		GuardEvents events, NearReader near, WriteBehind behind, GuardedCalls calls) {

	/**
	 * Returns the context of a call that begins on this thread.
	 * @param subscriber the context of its subscriber, or {@code null} if there is none
	 */
	ReadContext context(String cache, @Nullable Object subscriber) {
		CallerScope scope = new CallerScope(this.transactions, this.reactive, subscriber);
		return new ReadContext(scope, scope.snapshot(), this.definitions.settings(cache), this.loads.newBudget());
	}

	void publish(String cache, CacheEvent.Access access) {
		this.events.publish(new CacheEvent.Read(cache, access, CacheEvent.Tier.REDIS));
	}

	/**
	 * Publishes a read that found no value to use.
	 */
	void publishMiss(String cache, Load load) {
		if (load.replacing()) {
			this.events.publish(new CacheEvent.Unreadable(cache));
		}
		publish(cache, load.early() ? CacheEvent.Access.HIT
				: load.bypassed() ? CacheEvent.Access.BYPASS : CacheEvent.Access.MISS);
	}

	CompletableFuture<Void> ready(String cache, CallBudget budget) {
		return this.invalidations.ready(cache, budget);
	}

	/**
	 * Checks again that the invalidations of a cache are known, since what is known has
	 * grown older while a caller waited.
	 * @param before the check before the wait
	 */
	CompletableFuture<Boolean> stillReady(CompletableFuture<Void> before, String cache, CallBudget budget) {
		return before.thenCompose((none) -> ready(cache, budget)).handle((none, failure) -> failure == null);
	}

	/**
	 * Returns whether an entry was not invalidated, and has tags if its reader names
	 * some.
	 */
	boolean isCurrent(CacheEntries entries, CacheType.Content content) {
		long[] tags = content.header().tags();
		return !this.invalidations.isOutdated(entries.cache(), content.header().stamp(), tags)
				&& (tags.length > 0 || !NearReader.isTagged(entries));
	}

	/**
	 * Hands an answer over to a caller that may cancel its wait.
	 * @param cancel called if it does so
	 * @param unwanted called with an answer that comes after that, or with {@code null}
	 * if there is none
	 */
	static <T> CompletableFuture<T> handedOver(CompletableFuture<T> answer, Runnable cancel,
			Consumer<@Nullable T> unwanted) {
		CompletableFuture<T> handed = new CompletableFuture<>();
		answer.whenComplete((found, failure) -> {
			boolean taken = (failure == null) ? handed.complete(found)
					: handed.completeExceptionally(Waiting.cause(failure));
			if (!taken || failure != null) {
				unwanted.accept(found);
			}
		});
		if (!handed.isDone()) {
			handed.whenComplete((found, failure) -> {
				if (handed.isCancelled()) {
					cancel.run();
				}
			});
		}
		return handed;
	}

	static long millis(long nanos) {
		return nanos / 1_000_000 + 1;
	}

}
