/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * The caches' state in Redis: {@code prefix:cache:{cache:key}:e1} is the entry,
 * {@code :w1} the hash of its writers and {@code :q1} the set of those who wait for it.
 * <p>
 * The protocol. A reader that misses takes the lease of the entry, loads, and fills the
 * entry if the lease is still its own. A writer announces itself while the row is still
 * locked: the entry and any lease go, and until the writer is resolved nobody is given a
 * lease. Its ticket comes from a counter, so that tickets of one row rise in the order of
 * its commits. After the commit it publishes if its ticket is still pending, no higher
 * one was applied and no other one is pending; in all other cases it removes the entry,
 * since leaving it would keep an older value. A ticket that overran its time counts as
 * applied, because its commit may have happened. A writer that could not announce itself
 * makes all tickets worthless when it removes the entry.
 * <p>
 * What a step leaves if its outcome is unknown: a lookup, a lease that is given up by a
 * compensation; a fill, the value or the lease, of which the latter is given up; an
 * announcement or a publication, a pending ticket, which is resolved by the journal, and
 * else by its deadline.
 */
final class RedisCache {

	static final String TOPIC = "cache";

	/**
	 * How long writers are remembered beyond their time, and so how long ago a reader's
	 * transaction may have begun if its value is to be stored.
	 */
	private static final Duration MEMORY = Duration.ofMinutes(1);

	private static final LuaScript LOOKUP = LuaScript.load(RedisCache.class, "lookup.lua");

	private static final LuaScript FILL = LuaScript.load(RedisCache.class, "fill.lua");

	private static final LuaScript FREE = LuaScript.load(RedisCache.class, "free.lua");

	private static final LuaScript INTENT = LuaScript.load(RedisCache.class, "intent.lua");

	private static final LuaScript PUBLISH = LuaScript.load(RedisCache.class, "publish.lua");

	private static final LuaScript INVALIDATE = LuaScript.load(RedisCache.class, "invalidate.lua");

	private static final LuaScript ABORT = LuaScript.load(RedisCache.class, "abort.lua");

	private static final KeyPart ENTRY = KeyPart.of("e1");

	private static final KeyPart WRITERS = KeyPart.of("w1");

	private static final KeyPart WAITERS = KeyPart.of("q1");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final InstanceBus bus;

	private final Duration intentTimeout;

	private final long memoryMillis;

	private final AtomicLong handles = new AtomicLong();

	RedisCache(GuardedRedis redis, KeySpace keys, InstanceBus bus, Duration intentTimeout) {
		this.redis = redis;
		this.keys = keys;
		this.bus = bus;
		this.intentTimeout = intentTimeout;
		this.memoryMillis = intentTimeout.plus(MEMORY).toMillis();
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	boolean isAway() {
		return this.redis.isAway();
	}

	boolean isAway(CacheKey key) {
		return this.redis.isAway(() -> entity(key));
	}

	void onRecovery(Runnable action) {
		this.redis.onRecovery(action);
	}

	/**
	 * Returns an id that no other reader or writer of any instance has.
	 */
	String newHandle() {
		return this.bus.instanceId() + "." + this.handles.incrementAndGet();
	}

	/**
	 * Tells who is woken. Messages may be lost: after an interruption all are.
	 */
	void onWake(LongConsumer woken, Runnable interrupted) {
		this.bus.handle(TOPIC, (payload) -> woken.accept(Long.parseLong(payload)));
		this.bus.onLost(interrupted);
		this.bus.onSubscribed(interrupted);
	}

	boolean isWoken() {
		return this.bus.isSubscribed();
	}

	CompletableFuture<Answer> lookup(CacheKey key, String token, Duration lease, long waiter, byte[] readable,
			boolean replace, CallBudget budget) {
		List<RedisKey> names = keys(key);
		ScriptCall call = ScriptCall.of(LOOKUP, names, token, lease.toMillis(),
				this.bus.channel() + " " + TOPIC + " " + waiter, readable, replace ? 1 : 0);
		return this.redis.run(call, budget, () -> ScriptCall.of(FREE, names, token), lease)
			.thenApply(RedisCache::answer);
	}

	private static Answer answer(ScriptReply reply) {
		return switch (reply.text(0)) {
			case "hit" -> new Answer.Hit(Objects.requireNonNull(reply.bytes(1)));
			case "lease" -> new Answer.Leased(reply.number(1) == 1);
			case "wait" -> new Answer.Busy(Duration.ofMillis(reply.number(1)));
			default -> new Answer.Bypass();
		};
	}

	/**
	 * Stores a loaded value.
	 * @param age of the reader's transaction when it had the lease, in milliseconds, or
	 * -1
	 */
	CompletableFuture<Boolean> fill(CacheKey key, String token, Duration lease, byte[] value, Duration ttl, long age,
			CallBudget budget) {
		List<RedisKey> names = keys(key);
		ScriptCall call = ScriptCall.of(FILL, names, token, lease.toMillis(), value, ttl.toMillis(), age,
				this.memoryMillis);
		return this.redis.run(call, budget, () -> ScriptCall.of(FREE, names, token), lease)
			.thenApply((reply) -> reply.text(0).equals("filled"));
	}

	void free(CacheKey key, String token, Duration lease) {
		ScriptCall call = ScriptCall.of(FREE, keys(key), token);
		this.redis.run(call, newBudget(), () -> call, lease);
	}

	CompletableFuture<ScriptReply> announce(CacheKey key, String writer, boolean locked, boolean prolong,
			CallBudget budget) {
		String mode = locked ? "locked" : (prolong ? "prolong" : "unlocked");
		return this.redis.run(
				ScriptCall.of(INTENT, keys(key), writer, this.intentTimeout.toMillis(), this.memoryMillis, mode),
				budget);
	}

	CompletableFuture<Boolean> publish(CacheKey key, String writer, boolean locked, byte[] value, Duration ttl,
			CallBudget budget) {
		return this.redis
			.run(ScriptCall.of(PUBLISH, keys(key), writer, locked ? "locked" : "unlocked", value, ttl.toMillis(),
					this.memoryMillis), budget)
			.thenApply((reply) -> reply.text(0).equals("published"));
	}

	CompletableFuture<ScriptReply> invalidate(CacheKey key, List<String> writers, CallBudget budget) {
		List<Object> arguments = new ArrayList<>(writers.size() + 1);
		arguments.add(this.memoryMillis);
		arguments.addAll(writers);
		return this.redis.run(ScriptCall.of(INVALIDATE, keys(key), arguments.toArray()), budget);
	}

	/**
	 * Takes an announcement back, now or as soon as Redis answers.
	 */
	void abort(CacheKey key, String writer, CallBudget budget) {
		ScriptCall call = ScriptCall.of(ABORT, keys(key), writer);
		this.redis.run(call, budget, () -> call, this.intentTimeout);
	}

	/**
	 * Takes back an announcement of which nobody knows whether it was made.
	 */
	void abortEventually(CacheKey key, String writer) {
		this.redis.compensate(ScriptCall.of(ABORT, keys(key), writer), this.intentTimeout);
	}

	Duration intentTimeout() {
		return this.intentTimeout;
	}

	private List<RedisKey> keys(CacheKey key) {
		Names known = key.names;
		if (known == null) {
			RedisKey entity = entity(key);
			known = new Names(List.of(entity.with(ENTRY), entity.with(WRITERS), entity.with(WAITERS)));
			key.names = known;
		}
		return known.all();
	}

	private RedisKey entity(CacheKey key) {
		KeyPart[] parts = new KeyPart[key.parts().size() + 1];
		parts[0] = KeyPart.of(key.cache());
		System.arraycopy(KeyText.parts(key.parts()), 0, parts, 1, key.parts().size());
		return this.keys.entity(parts);
	}

	/**
	 * What an entry is called in Redis.
	 *
	 * @param all the keys, in the order that the scripts state
	 */
	record Names(List<RedisKey> all) {
	}

	/**
	 * What Redis says to a reader.
	 */
	sealed interface Answer {

		/**
		 * The value is there.
		 *
		 * @param value the value
		 */
		record Hit(byte[] value) implements Answer {
		}

		/**
		 * The reader may load and fill.
		 *
		 * @param replaced whether there was a value that it cannot read
		 */
		record Leased(boolean replaced) implements Answer {
		}

		/**
		 * Another reader loads.
		 *
		 * @param left the rest of its lease
		 */
		record Busy(Duration left) implements Answer {
		}

		/**
		 * A writer is at work.
		 */
		record Bypass() implements Answer {
		}

	}

}
