/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimiter;

/**
 * Gives back permits that no decision at hand has taken, see {@code give-back.lua}.
 */
public final class RedisGiveBack {

	private static final LuaScript GIVE_BACK = LuaScript.load(RateLimiter.class, "give-back.lua");

	private final GuardedRedis redis;

	private final RedisLimitKeys keys;

	private final String newsChannel;

	private final DenyCache denied;

	public RedisGiveBack(GuardedRedis redis, KeySpace keys, String newsChannel, DenyCache denied) {
		this.redis = redis;
		this.keys = new RedisLimitKeys(keys);
		this.newsChannel = newsChannel;
		this.denied = denied;
	}

	/**
	 * Gives back as many permits as the request costs. This instance knows of it when
	 * that is done, others when they hear of it.
	 * @return completes with how many had still been taken
	 */
	public CompletableFuture<Long> giveBack(PermitRequest request) {
		RateLimit limit = request.limit();
		RedisLimitKey key = this.keys.of(request);
		return this.redis.run(ScriptCall.of(GIVE_BACK, key.key(), this.newsChannel, RedisLimitKeys.kindOf(limit),
				limit.limit(), limit.windowMicros(), request.cost()), this.redis.newBudget())
			.thenApply((reply) -> {
				this.denied.forget(key.text());
				return reply.number(0);
			});
	}

}
