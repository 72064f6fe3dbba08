/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Asks Redis for entries, each by a call of its own, or those that many readers ask for
 * at the same time by one.
 * <p>
 * Where many read different entries the server is what they wait for, and most of what a
 * hit costs it is the call and not the entry. So who comes while others are under way
 * shares the next call with all who wait as well. Each gets the answer that it would have
 * got alone at the time of that call, which is after it has asked: what is found is no
 * older than that. Waiting is part of its budget; should the call fail, all go past the
 * cache, as each would alone. On a Cluster entries are in many slots, and each goes
 * alone.
 */
final class RedisLookups {

	static final LuaScript LOOKUP = LuaScript.load(RedisLookups.class, "lookup.lua");

	static final LuaScript LOOKUPS = LuaScript.load(RedisLookups.class, "lookups.lua").around(LOOKUP);

	private static final LuaScript FREE = LuaScript.load(RedisLookups.class, "free.lua");

	private static final LuaScript FREE_EACH = FREE.forEach();

	private final GuardedRedis redis;

	private final LongSupplier nanoTime;

	private final Map<Alike, Gathering<Asked>> alike = new ConcurrentHashMap<>();

	RedisLookups(GuardedRedis redis) {
		this(redis, System::nanoTime);
	}

	/**
	 * Creates lookups.
	 * @param nanoTime the time by which answers take long
	 */
	RedisLookups(GuardedRedis redis, LongSupplier nanoTime) {
		this.redis = redis;
		this.nanoTime = nanoTime;
	}

	/**
	 * Asks for an entry.
	 * @return completes with what {@code lookup.lua} replies, or exceptionally
	 */
	CompletableFuture<ScriptReply> ask(Asked asked) {
		if (asked.replace || asked.budget.spentNanos() > Gathering.LONG_NANOS || this.redis.isClustered()) {
			return alone(asked);
		}
		Alike kind = new Alike(ByteBuffer.wrap(asked.readable), asked.lease, asked.useOfExpired, asked.urge > 0);
		gathering(kind).enter(asked);
		return asked.reply;
	}

	private Gathering<Asked> gathering(Alike kind) {
		Gathering<Asked> known = this.alike.get(kind);
		if (known != null) {
			return known;
		}
		Gathering<Asked> own = new Gathering<>(this::send, this.nanoTime);
		Gathering<Asked> other = this.alike.putIfAbsent(kind, own);
		return (other != null) ? other : own;
	}

	private CompletableFuture<?> send(List<Asked> all) {
		try {
			List<Asked> inTime = new ArrayList<>(all.size());
			long now = System.nanoTime();
			for (Asked asked : all) {
				asked.budget.spend(now - asked.since);
				if (all.size() > 1 && asked.budget.remainingNanos() > 0) {
					inTime.add(asked);
				}
				else {
					relay(alone(asked), asked);
				}
			}
			return (all.size() > 1) ? together(inTime) : all.get(0).reply;
		}
		catch (RuntimeException | Error ex) {
			all.forEach((asked) -> asked.reply.completeExceptionally(ex));
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static void relay(CompletableFuture<ScriptReply> answer, Asked asked) {
		answer.whenComplete((reply, failure) -> {
			if (failure != null) {
				asked.reply.completeExceptionally(failure);
			}
			else {
				asked.reply.complete(reply);
			}
		});
	}

	private CompletableFuture<ScriptReply> alone(Asked asked) {
		return this.redis.run(
				ScriptCall.of(LOOKUP, asked.names, asked.token, asked.lease.toMillis(),
						asked.waker + " " + asked.waiter, asked.readable, asked.replace ? 1 : 0, asked.urge,
						asked.useOfExpired),
				asked.budget, () -> ScriptCall.of(FREE, asked.names, asked.token, 0), asked.lease);
	}

	/**
	 * Asks for what several readers want. They share the dice that decide on an early
	 * refresh: for each entry these fall as they would alone.
	 */
	private CompletableFuture<?> together(List<Asked> all) {
		if (all.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		Asked any = all.get(0);
		List<RedisKey> keys = new ArrayList<>(4 * all.size());
		List<Object> arguments = new ArrayList<>(5 + all.size());
		arguments.addAll(List.of(any.lease.toMillis(), any.readable, any.urge, any.useOfExpired, any.waker));
		long least = Long.MAX_VALUE;
		for (Asked asked : all) {
			keys.addAll(asked.names);
			arguments.add(asked.token + " " + asked.waiter);
			least = Math.min(least, asked.budget.remainingNanos());
		}
		long sentAt = System.nanoTime();
		return this.redis
			.run(ScriptCall.of(LOOKUPS, keys, arguments.toArray()), CallBudget.of(Duration.ofNanos(least)),
					() -> undo(keys, all), any.lease)
			.thenApply((reply) -> parts(reply, all.size()))
			.whenComplete((parts, failure) -> share(all, parts, failure, System.nanoTime() - sentAt));
	}

	private static List<ScriptReply> parts(ScriptReply reply, int expected) {
		List<ScriptReply> parts = reply.parts();
		if (parts.size() != expected) {
			throw new IllegalStateException(expected + " readers were given " + parts.size() + " answers");
		}
		return parts;
	}

	private static ScriptCall undo(List<RedisKey> keys, List<Asked> all) {
		List<Object> arguments = new ArrayList<>(1 + 2 * all.size());
		arguments.add(keys.size() / all.size());
		for (Asked asked : all) {
			arguments.add(asked.token);
			arguments.add(0);
		}
		return ScriptCall.of(FREE_EACH, keys, arguments.toArray());
	}

	private static void share(List<Asked> all, @Nullable List<ScriptReply> parts, @Nullable Throwable failure,
			long nanos) {
		for (int i = 0; i < all.size(); i++) {
			Asked asked = all.get(i);
			asked.budget.spend(nanos);
			if (parts != null) {
				asked.reply.complete(parts.get(i));
			}
			else {
				asked.reply.completeExceptionally(Objects.requireNonNull(failure));
			}
		}
	}

	/**
	 * A question for an entry.
	 *
	 * @param names the keys of the entry
	 * @param token of the reader
	 * @param waker channel and topic of the message by which it is woken
	 * @param waiter whom that message wakes
	 * @param lease how long it has the entry for itself
	 * @param readable the first bytes of values that it can read
	 * @param replace whether it replaces whatever is there
	 * @param urge how many thousandths of its load time before its expiry it replaces a
	 * value, or 0
	 * @param useOfExpired whether it has use for a value that has expired
	 * @param budget how long it may take
	 * @param since when it was asked
	 * @param reply the answer
	 */
	record Asked(List<RedisKey> names, String token, String waker, long waiter, Duration lease, byte[] readable,
			boolean replace, long urge, int useOfExpired, CallBudget budget, long since,
			CompletableFuture<ScriptReply> reply) {
	}

	/**
	 * The common part of questions that share a call.
	 */
	private record Alike(ByteBuffer readable, Duration lease, int useOfExpired, boolean refreshing) {
	}

}
