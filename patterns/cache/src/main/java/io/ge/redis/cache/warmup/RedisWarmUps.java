/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.warmup;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * The runs of warm-ups in Redis: {@code prefix:cache:{warm-up:name}:u1} says who runs
 * one, or that it is done.
 */
public final class RedisWarmUps {

	private static final LuaScript WARM = LuaScript.load(GeCaches.class, "warm.lua");

	private static final KeyPart WARM_UPS = KeyPart.of("warm-up");

	private static final KeyPart STATE = KeyPart.of("u1");

	private final GuardedRedis redis;

	private final KeySpace keys;

	public RedisWarmUps(GuardedRedis redis, KeySpace keys) {
		this.redis = redis;
		this.keys = keys;
	}

	boolean isAway(String name) {
		return this.redis.isAway(() -> key(name));
	}

	/**
	 * Takes the lease, if it is free.
	 */
	CompletableFuture<Turn> take(String name, String token, Duration lease) {
		return run(name, token, "take", lease, 0).thenApply((reply) -> switch (reply.text(0)) {
			case "yours" -> new Turn.Ours();
			case "done" -> new Turn.Done(reply.number(1));
			default -> new Turn.Theirs(Duration.ofMillis(reply.number(1)), reply.text(2), reply.number(3));
		});
	}

	/**
	 * Prolongs the lease.
	 * @return whether it was still held
	 */
	CompletableFuture<Boolean> keep(String name, String token, Duration lease, long read) {
		return run(name, token, "keep", lease, read).thenApply((reply) -> reply.text(0).equals("yours"));
	}

	/**
	 * Ends a run.
	 * @return whether it still held the lease
	 */
	CompletableFuture<Boolean> done(String name, String token, Duration validFor, long read) {
		return run(name, token, "done", validFor, read).thenApply((reply) -> reply.text(0).equals("done"));
	}

	/**
	 * Gives a run up, now or as soon as Redis answers.
	 * @return completes when it was tried, never exceptionally
	 */
	CompletableFuture<Void> free(String name, String token, Duration lease) {
		ScriptCall call = call(name, token, "free", lease, 0);
		return this.redis.run(call, this.redis.newBudget(), () -> call, lease).handle((reply, failure) -> null);
	}

	private CompletableFuture<ScriptReply> run(String name, String token, String action, Duration stands, long read) {
		return this.redis.run(call(name, token, action, stands, read), this.redis.newBudget());
	}

	private ScriptCall call(String name, String token, String action, Duration stands, long read) {
		return ScriptCall.of(WARM, key(name), token, action, stands.toMillis(), read);
	}

	private RedisKey key(String name) {
		return this.keys.entity(WARM_UPS, KeyPart.of(name)).with(STATE);
	}

	sealed interface Turn {

		record Ours() implements Turn {
		}

		/**
		 * Another run's.
		 */
		record Theirs(Duration left, String token, long read) implements Turn {
		}

		/**
		 * Nobody's any more.
		 */
		record Done(long read) implements Turn {
		}

	}

}
