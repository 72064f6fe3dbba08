// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * Changes caches that are written behind: Redis takes the change and the value, in one
 * step, and the store gets it later. No transaction has a part in it.
 */
record CacheBehindWriter(CacheRegistry definitions, CacheCodec codec, CacheValues values, CacheEngine engine,
		GuardEvents events, WriteBehind behind, GuardedCalls calls) {

	long write(CacheKey key, @Nullable Object value) {
		CompletableFuture<Long> version = append(key, value,
				(stamp) -> CompletableFuture.completedFuture(Waiting.await(stamp)));
		return taken(key, Waiting.await(version));
	}

	/**
	 * Writes like {@link #write}, without blocking.
	 * @return completes with the version of the change, on a thread of the application
	 */
	CompletionStage<Long> writeAsync(CacheKey key, @Nullable Object value) {
		// Values are made on threads of the application
		CompletableFuture<Long> version = append(key, value, (stamp) -> handedOver(stamp, UnaryOperator.identity()));
		return handedOver(version.copy(), (appended) -> taken(key, appended));
	}

	private CompletableFuture<Long> handedOver(CompletableFuture<Long> step, UnaryOperator<Long> next) {
		return this.calls.handOver(step, next, (done) -> {
		}).toCompletableFuture();
	}

	private long taken(CacheKey key, long version) {
		this.events.publish(new CacheEvent.Write(key.cache(), CacheEvent.Outcome.WAITING));
		return version;
	}

	private CompletableFuture<Long> append(CacheKey key, @Nullable Object value,
			UnaryOperator<CompletableFuture<Long>> stamped) {
		String cache = key.cache();
		CacheType type = requireType(cache, value);
		byte[] change = change(cache, type, value);
		CallBudget budget = this.engine.newBudget();
		return stamped.apply(this.engine.invalidations.stampWhenReady(cache, Snapshot.NONE, budget))
			.thenCompose((stamp) -> {
				NewValue entry = this.values.loaded(cache, type, value, this.values.loadMillis(cache), stamp, null);
				return this.behind.append(cache, key.parts(), change, (entry != null) ? entry.bytes() : new byte[0],
						(entry != null) ? entry.ttl() : Duration.ZERO, budget);
			})
			.whenComplete((version, failure) -> this.engine.changed(key));
	}

	private CacheType requireType(String cache, @Nullable Object value) {
		if (!this.behind.isBehind(cache)) {
			throw new IllegalArgumentException("Cache '" + cache + "' is not written behind. Define a WriteBehindStore"
					+ " bean for it, or set ge.redis.cache.caches." + cache
					+ ".write-behind=true where another application has it");
		}
		CacheType held = heldType(cache);
		CacheType type = (held != null) ? held : this.codec.type((value != null) ? value.getClass() : Object.class);
		if (value != null && type.of(value) == null) {
			throw new IllegalArgumentException("Cache '" + cache + "' holds " + type.javaType().toCanonical() + ", not "
					+ value.getClass().getName());
		}
		return type;
	}

	private byte[] change(String cache, CacheType type, @Nullable Object value) {
		byte[] change = this.behind.change(type.javaType(), value);
		long most = this.definitions.maxValueSize();
		if (change.length > most) {
			throw new IllegalArgumentException("A change of cache '" + cache + "' has " + change.length
					+ " bytes as JSON. Those above " + most + " bytes (ge.redis.cache.max-value-size) are not taken");
		}
		String loss = this.codec.loss(type, value, () -> this.behind.reader(type.javaType()).readValue(change));
		if (loss != null) {
			throw new IllegalArgumentException("A change of cache '" + cache + "' is not taken, since " + loss);
		}
		return change;
	}

	/**
	 * Returns the type that a cache has in its store, or is declared with, if one is
	 * known.
	 */
	@Nullable CacheType heldType(String cache) {
		JavaType stored = this.behind.storedType(cache);
		return (stored != null) ? this.codec.type(stored) : this.definitions.type(cache);
	}

}
