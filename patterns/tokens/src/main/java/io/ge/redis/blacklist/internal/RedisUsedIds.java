// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.Times;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;

import org.springframework.util.function.SingletonSupplier;

/**
 * A key for each id, {@code prefix:replay:{kind:id}:used1}, where the id is hashed. What
 * leads in when it is presented must not be read from a dump.
 */
public final class RedisUsedIds implements UsedIds {

	private static final String PATTERN = "replay";

	private static final LuaScript USE = LuaScript.load(UsedIds.class, "use.lua");

	private final Supplier<GuardedRedis> redis;

	private final Supplier<KeySpace> keys;

	private final GuardedCalls calls;

	public RedisUsedIds(Supplier<RedisBackend> backend, GuardedCalls calls) {
		this.redis = SingletonSupplier.of(() -> backend.get().redis(PATTERN));
		this.keys = SingletonSupplier.of(() -> backend.get().keys(PATTERN));
		this.calls = calls;
	}

	@Override
	public CompletionStage<Boolean> useAsync(String kind, String id, Duration remembered) {
		long millis = Times.millis("The time for which an id is remembered", remembered, 1);
		RedisKey key = this.keys.get().entity(KeyPart.of(kind), KeyPart.secret(id)).with(KeyPart.of("used1"));
		GuardedRedis asked = this.redis.get();
		return this.calls.handOver(asked.run(ScriptCall.of(USE, key, millis), asked.newBudget()),
				(reply) -> reply.number(0) == 1, (unwanted) -> {
				});
	}

}
