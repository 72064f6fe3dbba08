/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
 * The limits' state in Redis: {@code prefix:ratelimit:{key}:name:format}, where the
 * format is {@code w1} for windows and {@code b1} for buckets. A limit for all callers
 * has its name as the entity and the empty part as the name.
 * <p>
 * An admission whose outcome nobody learnt stays counted: it can only admit too few.
 */
final class RedisRateLimiter {

	private static final LuaScript DECIDE = LuaScript.load(RedisRateLimiter.class, "decide.lua");

	private static final LuaScript REFUND = LuaScript.load(RedisRateLimiter.class, "refund.lua");

	private static final int FIELDS = 3;

	private static final int ARGUMENTS = 4;

	private static final byte[] WINDOW = { 'w' };

	private static final byte[] BUCKET = { 'b' };

	private static final KeyPart WINDOW_FORMAT = KeyPart.of("w1");

	private static final KeyPart BUCKET_FORMAT = KeyPart.of("b1");

	private static final KeyPart NONE = KeyPart.of("");

	private final GuardedRedis redis;

	private final KeySpace keys;

	RedisRateLimiter(GuardedRedis redis, KeySpace keys) {
		this.redis = redis;
		this.keys = keys;
	}

	CallBudget newBudget() {
		return this.redis.newBudget();
	}

	/**
	 * Decides on demands of one entity.
	 */
	CompletableFuture<Answer> decide(List<Demand> demands, CallBudget budget) {
		Object[] arguments = new Object[demands.size() * ARGUMENTS];
		for (int i = 0; i < demands.size(); i++) {
			RateLimit limit = demands.get(i).limit();
			arguments[i * ARGUMENTS] = kind(limit);
			arguments[i * ARGUMENTS + 1] = limit.limit();
			arguments[i * ARGUMENTS + 2] = limit.windowMicros();
			arguments[i * ARGUMENTS + 3] = limit.burst();
		}
		return this.redis.run(ScriptCall.of(DECIDE, keys(demands), arguments), budget)
			.thenApply((reply) -> answer(demands, reply));
	}

	/**
	 * Gives back what an admission took, without waiting for it.
	 */
	void refund(Answer admitted) {
		List<Object> arguments = new ArrayList<>();
		arguments.add(admitted.time());
		for (Demand demand : admitted.demands()) {
			arguments.add(kind(demand.limit()));
			arguments.add(demand.limit().intervalMicros());
		}
		this.redis.run(ScriptCall.of(REFUND, keys(admitted.demands()), arguments.toArray()), newBudget());
	}

	private List<RedisKey> keys(List<Demand> demands) {
		List<RedisKey> names = new ArrayList<>(demands.size());
		for (Demand demand : demands) {
			names.add(key(demand));
		}
		return names;
	}

	private RedisKey key(Demand demand) {
		KeyPart name = KeyPart.of(demand.limit().name());
		KeyPart format = isBucket(demand.limit()) ? BUCKET_FORMAT : WINDOW_FORMAT;
		return demand.key().isEmpty() ? this.keys.entity(name).with(NONE, format)
				: this.keys.entity(KeyText.parts(demand.key())).with(name, format);
	}

	private static Answer answer(List<Demand> demands, ScriptReply reply) {
		List<Quota> quotas = new ArrayList<>(demands.size());
		List<String> violated = new ArrayList<>(0);
		long wait = 0;
		for (int i = 0; i < demands.size(); i++) {
			RateLimit limit = demands.get(i).limit();
			int field = 2 + i * FIELDS;
			quotas.add(new Quota(limit, reply.number(field), micros(reply.number(field + 1))));
			if (reply.number(field + 2) > 0) {
				violated.add(limit.name());
				wait = Math.max(wait, reply.number(field + 2));
			}
		}
		RateLimitDecision decision = (reply.number(0) == 1)
				? new RateLimitDecision.Allowed(quotas, () -> demands.size())
				: new RateLimitDecision.Denied(quotas, violated, micros(wait));
		return new Answer(demands, decision, reply.number(1));
	}

	private static Duration micros(long micros) {
		return Duration.ofNanos(micros * 1000);
	}

	private static byte[] kind(RateLimit limit) {
		return isBucket(limit) ? BUCKET : WINDOW;
	}

	private static boolean isBucket(RateLimit limit) {
		return limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET;
	}

	/**
	 * What Redis said.
	 *
	 * @param demands the demands
	 * @param decision the decision on them
	 * @param time the server's time, in microseconds
	 */
	record Answer(List<Demand> demands, RateLimitDecision decision, long time) {
	}

}
