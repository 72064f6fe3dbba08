// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheLoads;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.engine.CacheValues;
import io.ge.redis.cache.settings.CacheRegistry;
import io.ge.redis.cache.write.CacheTransactions;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.cache.write.ReactiveCacheTransactions;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all readers have in common, and the steps that they share.
 */
public record CacheReadParts(CacheRegistry definitions, CacheLoads loads, CacheValues values,
		CacheInvalidations invalidations, CacheTransactions transactions, ReactiveCacheTransactions reactive,
		GuardEvents events, NearReader near, WriteBehind behind, GuardedCalls calls) {

	CallerScope scope(@Nullable Object context) {
		return new CallerScope(this.transactions, this.reactive, context);
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
	 * Reads an entry.
	 * @param source the reader, or {@code null} for one that names no tags
	 * @return the content, or {@code null} if it cannot be read or was invalidated
	 */
	CacheType.@Nullable Content content(String cache, CacheType type, byte @Nullable [] entry,
			@Nullable CacheSource source) {
		CacheType.Content content = (entry != null) ? type.read(entry) : null;
		return (content != null && isCurrent(cache, content, source)) ? content : null;
	}

	/**
	 * Returns whether an entry was not invalidated, and has tags if its reader names
	 * some.
	 */
	boolean isCurrent(String cache, CacheType.Content content, @Nullable CacheSource source) {
		long[] tags = content.header().tags();
		return !this.invalidations.isOutdated(cache, content.header().stamp(), tags)
				&& (tags.length > 0 || source == null || !NearReader.isTagged(source));
	}

	static long millis(long nanos) {
		return nanos / 1_000_000 + 1;
	}

}
