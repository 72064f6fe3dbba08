/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist.replay;

import java.time.Duration;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;

import org.springframework.util.Assert;

/**
 * A key for each id, {@code prefix:replay:{kind:id}:used1}, where the id is hashed. What
 * leads in when it is presented must not be read from a dump.
 */
final class RedisUsedIds implements UsedIds {

	private static final String PATTERN = "replay";

	private static final LuaScript USE = LuaScript.load(RedisUsedIds.class, "use.lua");

	private final GuardedRedis redis;

	private final KeySpace keys;

	RedisUsedIds(RedisBackend backend) {
		this.redis = backend.redis(PATTERN);
		this.keys = backend.keys(PATTERN);
	}

	@Override
	public boolean use(String kind, String id, Duration remembered) {
		Assert.isTrue(remembered.toMillis() > 0,
				() -> "An id is remembered for at least a millisecond, not " + remembered);
		RedisKey key = this.keys.entity(KeyPart.of(kind), KeyPart.secret(id)).with(KeyPart.of("used1"));
		return Waiting.await(this.redis.run(ScriptCall.of(USE, key, remembered.toMillis()), this.redis.newBudget()))
			.number(0) == 1;
	}

}
