// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;

/**
 * The calls at work, in one sorted set for each bulkhead.
 */
final class RedisBulkhead {

	private static final LuaScript ENTER = LuaScript.load(RedisBulkhead.class, "enter.lua");

	private static final LuaScript LEAVE = LuaScript.load(RedisBulkhead.class, "leave.lua");

	private final GuardedRedis redis;

	private final KeySpace keys;

	private final Duration lease;

	RedisBulkhead(RedisBackend backend, Duration lease) {
		this.redis = backend.redis("bulkhead");
		this.keys = backend.keys("bulkhead");
		this.lease = lease;
	}

	RedisKey key(String name, List<String> entity) {
		List<String> parts = new ArrayList<>(List.of(name));
		parts.addAll(entity);
		return this.keys.entity(KeyText.parts(parts));
	}

	/** One script call; undone if its outcome is unknown. */
	CompletableFuture<Boolean> enter(RedisKey key, String call, long limit) {
		return this.redis
			.run(ScriptCall.of(ENTER, key, call, limit, this.lease.toMillis()), this.redis.newBudget(),
					() -> ScriptCall.of(LEAVE, key, call), this.lease)
			.thenApply((reply) -> reply.number(0) == 1);
	}

	CompletableFuture<Long> count(RedisKey key) {
		return this.redis.run(ScriptCall.of(ENTER, key, "", 0, 0), this.redis.newBudget())
			.thenApply((ScriptReply reply) -> reply.number(1));
	}

	/** One script call, until Redis has answered. */
	void leave(RedisKey key, String call) {
		this.redis.compensate(ScriptCall.of(LEAVE, key, call), this.lease);
	}

}
