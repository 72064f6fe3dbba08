// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheLookup.Load;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NearCache;
import io.ge.redis.cache.internal.engine.NearCaches;
import io.ge.redis.cache.internal.engine.NearToken;
import io.ge.redis.cache.internal.engine.NearValue;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.Promises;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Reads through the caches: a value in memory at once, others by a {@link CacheCall}.
 * Nothing here blocks; a caller with a plain result waits, and loads on its thread, in
 * its transaction.
 */
record CacheReader(CacheRegistry definitions, CacheEngine engine, CacheValues values, CacheTransactions transactions,
		ReactiveCacheTransactions reactive, GuardEvents events, NearCaches near, WriteBehind behind,
		GuardedCalls calls) {

	/**
	 * Returns values from the cache, or loads them, in the form of the source.
	 * @throws Throwable what a source of plain values throws
	 * @throws io.ge.redis.cache.CacheLoadTimeoutException if another caller loads for too
	 * long and the cache is configured to fail then
	 */
	@Nullable Object read(CacheSource source) throws Throwable {
		if (source.form().isPlain() && !(source instanceof CacheSource.Several)) {
			NearValue held = inMemory(source.keys().get(0), source);
			if (held != null) {
				return source.result(Collections.singletonList(held.value()));
			}
		}
		return this.calls.start(source.form(), () -> new CacheCall(this, () -> source, () -> null));
	}

	/**
	 * Makes a call: it looks up, loads and stores.
	 * @param source gives the entries when the call asks, or {@code null} if it does not
	 * read the cache
	 * @param uncached the work in that case
	 */
	GuardedCall<?> call(Supplier<? extends @Nullable CacheSource> source, GuardedCall.Work uncached) {
		return new CacheCall(this, source, uncached);
	}

	/**
	 * Returns a value from the cache for a caller that loads by itself, or an
	 * {@link OpenMiss}, in a form.
	 * @throws Throwable never for a form that comes later
	 */
	@Nullable Object readOpen(CacheKey key, CacheType type, ResultForm form) throws Throwable {
		// Loads only where a change that waits for the store turns out to be unreadable
		return read(new CacheSource.One(key, type, form, true, (keys) -> new Promises(form)
			.of(new OpenMiss(this, key, type, Load.UNSTORED, -1, CacheInvalidations.UNSTAMPABLE))));
	}

	// In memory, by the rules that hold for answers of Redis

	/**
	 * Returns the value of an entry that is in memory.
	 * @return the value, or {@code null} if Redis is to be asked
	 */
	@Nullable NearValue inMemory(CacheKey key, CacheSource source) {
		NearCache cache = this.near.of(key.cache());
		OpenWork work = this.transactions.known();
		if (cache == null || work.loading.contains(key) || work.isWriting(key) || this.engine.journal().holds(key)
				|| invalidations().isDue(key.cache())) {
			return null;
		}
		long now = cache.now();
		NearValue value = cache.get(key, source.type(), now);
		// Versions of tags are also read from Redis, since an instance may invalidate
		// without knowing that others keep values in memory
		if (value == null || !invalidations().isServable(key.cache(), now, value.stamp(), value.tags())
				|| isUntagged(value.tags(), source)) {
			return null;
		}
		this.events.publish(cache.hit());
		return value;
	}

	// An entry that was stored before its tags were known would be out of reach
	private static boolean isUntagged(long[] stored, CacheSource source) {
		CacheTags tags = (stored.length == 0) ? source.tags() : null;
		return tags != null && !tags.isEmpty();
	}

	/**
	 * Begins to keep an entry in memory, before Redis is asked.
	 * @return the token, which must be returned; {@code null} if nothing is kept
	 */
	@Nullable NearToken keeping(CacheKey key) {
		NearCache cache = this.near.of(key.cache());
		return (cache != null) ? cache.begin(key, invalidations().readAt(key.cache(), this.near.since())) : null;
	}

	// Steps of calls

	CacheLoads loads() {
		return this.engine.loads();
	}

	CacheInvalidations invalidations() {
		return this.engine.invalidations;
	}

	/**
	 * Completes with whether the invalidations of a cache are known, also after a wait,
	 * in which they have grown older.
	 * @param before the check before the wait
	 */
	CompletableFuture<Boolean> stillReady(CompletableFuture<Void> before, String cache, CallBudget budget) {
		return before.thenCompose((none) -> invalidations().ready(cache, budget))
			.handle((none, failure) -> failure == null);
	}

	/**
	 * Returns whether an entry was not invalidated, and has tags if its reader names
	 * some.
	 */
	boolean isCurrent(CacheSource source, CacheType.Content content) {
		long[] tags = content.header().tags();
		return !invalidations().isOutdated(source.cache(), content.header().stamp(), tags) && !isUntagged(tags, source);
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

	static long millis(long nanos) {
		return nanos / 1_000_000 + 1;
	}

}
