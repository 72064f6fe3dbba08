// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.batch.BatchQueue;
import io.ge.redis.core.batch.Batcher;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Looks up entries in Redis. Lookups that are alike and made at the same time share
 * calls, see {@link Batcher}, since most of the cost of a hit is the call. Each gets the
 * answer that it would have got alone at the time of that call. If the call fails, all
 * bypass the cache. On a Cluster each entry is looked up alone.
 */
public final class RedisLookups implements Batcher.Calls<RedisLookups.Lookup, ScriptReply> {

	public static final LuaScript LOOKUP = LuaScript.load(GeCaches.class, "lookup.lua");

	public static final LuaScript LOOKUPS = LuaScript.functions(GeCaches.class, "lookups.lua").around(LOOKUP);

	private static final LuaScript FREE_EACH = RedisCache.FREE.forEach();

	private static final int MOST_IN_FLIGHT = 2;

	/** Bounds how long one call keeps the server from others. */
	private static final int MOST_TOGETHER = 32;

	private static final Duration LONGEST_WAIT = Duration.ofMillis(10);

	private final GuardedRedis redis;

	private final Batcher<Lookup, ScriptReply> batcher;

	private final Map<Kind, BatchQueue<Lookup, ScriptReply>> queues = new ConcurrentHashMap<>();

	public RedisLookups(GuardedRedis redis) {
		this(redis, System::nanoTime);
	}

	public RedisLookups(GuardedRedis redis, LongSupplier nanoTime) {
		this.redis = redis;
		this.batcher = new Batcher<>(this, MOST_IN_FLIGHT, LONGEST_WAIT, nanoTime);
	}

	/**
	 * Looks up an entry.
	 * @return completes with the reply of {@code lookup.lua}, or exceptionally
	 */
	public CompletableFuture<ScriptReply> submit(Lookup lookup, CallBudget budget) {
		return (lookup.replace || this.redis.isClustered()) ? send(lookup, budget)
				: this.batcher.submit(queue(lookup), lookup, budget);
	}

	private BatchQueue<Lookup, ScriptReply> queue(Lookup lookup) {
		Kind kind = new Kind(lookup.readable, lookup.lease, lookup.useOfExpired, lookup.urge > 0);
		BatchQueue<Lookup, ScriptReply> known = this.queues.get(kind);
		if (known != null) {
			return known;
		}
		BatchQueue<Lookup, ScriptReply> own = new BatchQueue<>();
		BatchQueue<Lookup, ScriptReply> other = this.queues.putIfAbsent(kind, own);
		return (other != null) ? other : own;
	}

	@Override
	public CompletableFuture<ScriptReply> send(Lookup lookup, CallBudget budget) {
		return this.redis.run(ScriptCall.of(LOOKUP, lookup.names, lookup.arguments()), budget,
				() -> ScriptCall.of(RedisCache.FREE, lookup.names, lookup.token, 0), lookup.lease);
	}

	/**
	 * Looks up the entries of several readers. They share the dice that decide on an
	 * early refresh: for each entry these fall as they would alone.
	 */
	@Override
	public CompletableFuture<List<@Nullable ScriptReply>> sendAll(List<Lookup> all, CallBudget budget) {
		Lookup any = all.get(0);
		List<RedisKey> keys = new ArrayList<>(4 * all.size());
		List<Object> arguments = new ArrayList<>(5 + all.size());
		arguments.addAll(List.of(any.lease.toMillis(), any.readable.array(), any.urge, any.useOfExpired, any.waker));
		for (Lookup lookup : all) {
			keys.addAll(lookup.names);
			arguments.add(lookup.token + " " + lookup.waiter);
		}
		return this.redis
			.run(ScriptCall.of(LOOKUPS, keys, arguments.toArray()), budget, () -> undo(keys, all), any.lease)
			.thenApply(ScriptReply::parts);
	}

	private static ScriptCall undo(List<RedisKey> keys, List<Lookup> all) {
		List<Object> arguments = new ArrayList<>(1 + 2 * all.size());
		arguments.add(keys.size() / all.size());
		for (Lookup lookup : all) {
			arguments.add(lookup.token);
			arguments.add(0);
		}
		return ScriptCall.of(FREE_EACH, keys, arguments.toArray());
	}

	@Override
	public boolean areAlike(Lookup lookup, Lookup other) {
		return true;
	}

	@Override
	public int mostOf(Lookup lookup) {
		return MOST_TOGETHER;
	}

	/**
	 * A reader's request for an entry.
	 *
	 * @param waker channel and topic of the message by which it is woken
	 * @param lease how long it has the entry for itself
	 * @param readable the first bytes of values that it can read
	 * @param replace whether it replaces whatever is there
	 * @param urge how many thousandths of its load time before its expiry it replaces a
	 * value, or 0
	 * @param useOfExpired whether it has use for a value that has expired
	 */
	public record Lookup(List<RedisKey> names, String token, String waker, long waiter, Duration lease,
			ByteBuffer readable, boolean replace, long urge, int useOfExpired) {

		Object[] arguments() {
			return new Object[] { this.token, this.lease.toMillis(), this.waker + " " + this.waiter,
					this.readable.array(), this.replace ? 1 : 0, this.urge, this.useOfExpired };
		}
	}

	private record Kind(ByteBuffer readable, Duration lease, int useOfExpired, boolean refreshing) {
	}

}
