/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimiter;

/**
 * The limits' state in Redis, see {@link RedisLimitKeys} and {@code decide.lua}.
 * <p>
 * An admission whose outcome nobody learnt stays counted: it can only admit too few.
 */
public final class RedisRateLimiter {

	private static final LuaScript DECIDE = LuaScript.load(RateLimiter.class, "decide.lua");

	private static final LuaScript REFUND = LuaScript.load(RateLimiter.class, "refund.lua");

	private static final LuaScript RESET = LuaScript.load(RateLimiter.class, "reset.lua");

	private static final int HEAD = 2;

	private static final int ARGUMENTS = 7;

	private final GuardedRedis redis;

	private final RedisLimitKeys keys;

	private final String newsChannel;

	public RedisRateLimiter(GuardedRedis redis, KeySpace keys, String newsChannel) {
		this.redis = redis;
		this.keys = new RedisLimitKeys(keys);
		this.newsChannel = newsChannel;
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	public RedisLimitKey keyOf(PermitRequest request) {
		return this.keys.of(request);
	}

	/**
	 * Decides on requests whose states are in one slot.
	 * @param requests the requests
	 * @param extra what is wanted beyond
	 * @param budget the budget of the call
	 */
	public CompletableFuture<RedisDecision> decide(List<PermitRequest> requests, ExtraPermits extra,
			CallBudget budget) {
		Object[] arguments = new Object[HEAD + requests.size() * ARGUMENTS];
		arguments[0] = extra.permits();
		arguments[1] = micros(extra.usable());
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			RateLimit limit = request.limit();
			int first = HEAD + i * ARGUMENTS;
			arguments[first] = RedisLimitKeys.kindOf(limit);
			arguments[first + 1] = limit.limit();
			arguments[first + 2] = limit.windowMicros();
			arguments[first + 3] = (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) ? limit.burst() : 0;
			arguments[first + 4] = request.cost();
			arguments[first + 5] = micros(limit.waitTime());
			arguments[first + 6] = limit.shadow() ? 1 : 0;
		}
		RedisLimitKey[] states = new RedisLimitKey[requests.size()];
		Arrays.setAll(states, (i) -> this.keys.of(requests.get(i)));
		long sentAt = System.nanoTime();
		return this.redis.run(ScriptCall.of(DECIDE, names(states), arguments), budget)
			.thenApply((reply) -> new RedisDecision(requests, states, numbers(reply), sentAt, System.nanoTime()));
	}

	private static long[] numbers(ScriptReply reply) {
		long[] numbers = new long[reply.size()];
		for (int i = 0; i < numbers.length; i++) {
			numbers[i] = reply.number(i);
		}
		return numbers;
	}

	/**
	 * Gives back what a decision took, without being asked to wait for it. If Redis is
	 * away, the permits stay taken.
	 * @param admitted what Redis said
	 * @return completes when it is done, whatever came of it
	 */
	CompletableFuture<Void> refund(RedisDecision admitted) {
		Refund refund = new Refund(admitted);
		for (int i = 0; i < admitted.requests().size(); i++) {
			refund.add(i, admitted.requests().get(i).cost(), admitted.stamp(i));
		}
		return send(refund);
	}

	/**
	 * Gives back permits that were taken in advance, as {@link #refund(RedisDecision)}.
	 * @param admitted what Redis said
	 * @param permits how many of each limit
	 */
	CompletableFuture<Void> refundExtra(RedisDecision admitted, long permits) {
		Refund refund = new Refund(admitted);
		for (int i = 0; i < admitted.requests().size(); i++) {
			refund.add(i, permits, admitted.extraStamp(i));
		}
		return send(refund);
	}

	private CompletableFuture<Void> send(Refund refund) {
		if (refund.names.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.redis.run(ScriptCall.of(REFUND, refund.names, refund.arguments.toArray()), newBudget())
			.handle((reply, failure) -> null);
	}

	/**
	 * Forgets what was used, on all instances.
	 * @param requests in one slot
	 */
	CompletableFuture<Void> reset(List<PermitRequest> requests) {
		List<RedisKey> names = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			names.add(this.keys.of(request).key());
		}
		return this.redis.run(ScriptCall.of(RESET, names, this.newsChannel), newBudget()).thenApply((reply) -> null);
	}

	/**
	 * Parts requests such that each part can be asked in one script call.
	 */
	Collection<List<PermitRequest>> bySlot(List<PermitRequest> requests) {
		if (requests.size() == 1 || haveSameKey(requests)) {
			return List.of(requests);
		}
		Map<Integer, List<PermitRequest>> slots = new LinkedHashMap<>();
		for (PermitRequest request : requests) {
			slots.computeIfAbsent(this.keys.of(request).slot(), (slot) -> new ArrayList<>()).add(request);
		}
		return slots.values();
	}

	/**
	 * Returns whether all requests are of one entity. A limit for all callers is an
	 * entity of its own.
	 */
	static boolean haveSameKey(List<PermitRequest> requests) {
		List<String> key = requests.get(0).key();
		for (int i = 1; i < requests.size(); i++) {
			if (key.isEmpty() || !requests.get(i).key().equals(key)) {
				return false;
			}
		}
		return true;
	}

	private static List<RedisKey> names(RedisLimitKey[] keys) {
		if (keys.length == 1) {
			return List.of(keys[0].key());
		}
		List<RedisKey> names = new ArrayList<>(keys.length);
		for (RedisLimitKey key : keys) {
			names.add(key.key());
		}
		return names;
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

	private final class Refund {

		private final RedisDecision admitted;

		private final List<RedisKey> names = new ArrayList<>();

		private final List<Object> arguments = new ArrayList<>();

		Refund(RedisDecision admitted) {
			this.admitted = admitted;
			this.arguments.add(RedisRateLimiter.this.newsChannel);
		}

		void add(int index, long permits, long stamp) {
			if (permits > 0 && this.admitted.stamp(index) > 0) {
				RateLimit limit = this.admitted.requests().get(index).limit();
				this.names.add(this.admitted.key(index).key());
				this.arguments.add(RedisLimitKeys.kindOf(limit));
				this.arguments.add(limit.limit());
				this.arguments.add(limit.windowMicros());
				this.arguments.add(permits);
				this.arguments.add(stamp);
			}
		}

	}

}
