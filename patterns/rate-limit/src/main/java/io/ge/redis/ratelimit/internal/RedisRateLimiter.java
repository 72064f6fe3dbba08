// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
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
final class RedisRateLimiter {

	private static final LuaScript DECIDE = LuaScript.load(RateLimiter.class, "decide.lua");

	private static final LuaScript REFUND = LuaScript.load(RateLimiter.class, "refund.lua");

	private static final LuaScript GIVE_BACK = LuaScript.load(RateLimiter.class, "give-back.lua");

	private static final LuaScript RESET = LuaScript.load(RateLimiter.class, "reset.lua");

	private static final int HEAD = 1;

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

	RedisLimitKey keyOf(RateLimit limit, List<String> parts) {
		return this.keys.of(limit, parts);
	}

	/**
	 * Decides on requests whose states are in one slot.
	 * @param others permits of each limit for other calls that wait for the reply, beyond
	 * those of the call
	 */
	public CompletableFuture<RedisDecision> decide(List<PermitRequest> requests, long others, CallBudget budget) {
		List<RedisKey> names = new ArrayList<>(requests.size());
		Object[] arguments = new Object[HEAD + requests.size() * ARGUMENTS];
		arguments[0] = others;
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			RateLimit limit = request.limit();
			names.add(request.key().redisKey());
			int first = HEAD + i * ARGUMENTS;
			arguments[first] = RedisLimitKeys.kindOf(limit);
			arguments[first + 1] = limit.limit();
			arguments[first + 2] = limit.windowMicros();
			arguments[first + 3] = (limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET) ? limit.burst() : 0;
			arguments[first + 4] = request.cost();
			arguments[first + 5] = micros(limit.waitTime());
			arguments[first + 6] = limit.shadow() ? 1 : 0;
		}
		long sentAt = System.nanoTime();
		return this.redis.run(ScriptCall.of(DECIDE, names, arguments), budget)
			.thenApply((reply) -> new RedisDecision(requests, numbers(reply), sentAt, System.nanoTime()));
	}

	private static long[] numbers(ScriptReply reply) {
		long[] numbers = new long[reply.size()];
		for (int i = 0; i < numbers.length; i++) {
			numbers[i] = reply.number(i);
		}
		return numbers;
	}

	/**
	 * Refunds what a decision took. If Redis is unavailable, the permits stay taken.
	 */
	CompletableFuture<Void> refund(RedisDecision admitted) {
		List<RedisKey> names = new ArrayList<>();
		List<Object> arguments = new ArrayList<>();
		arguments.add(this.newsChannel);
		for (int i = 0; i < admitted.requests().size(); i++) {
			if (admitted.stamp(i) > 0) {
				PermitRequest request = admitted.requests().get(i);
				RateLimit limit = request.limit();
				names.add(request.key().redisKey());
				arguments.addAll(List.of(RedisLimitKeys.kindOf(limit), limit.limit(), limit.windowMicros(),
						request.cost(), admitted.stamp(i)));
			}
		}
		if (names.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.redis.run(ScriptCall.of(REFUND, names, arguments.toArray()), newBudget())
			.handle((reply, failure) -> null);
	}

	/**
	 * Refunds permits that no decision at hand has taken, as many as the request costs.
	 */
	CompletableFuture<Long> refund(PermitRequest request) {
		RateLimit limit = request.limit();
		ScriptCall call = ScriptCall.of(GIVE_BACK, request.key().redisKey(), this.newsChannel,
				RedisLimitKeys.kindOf(limit), limit.limit(), limit.windowMicros(), request.cost());
		return this.redis.run(call, newBudget()).thenApply((reply) -> reply.number(0));
	}

	CompletableFuture<Void> reset(List<PermitRequest> requests) {
		List<RedisKey> names = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			names.add(request.key().redisKey());
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
			slots.computeIfAbsent(request.key().slot(), (slot) -> new ArrayList<>()).add(request);
		}
		return slots.values();
	}

	/**
	 * Returns whether all requests are of one entity. A limit for all callers is an
	 * entity of its own.
	 */
	static boolean haveSameKey(List<PermitRequest> requests) {
		List<String> key = requests.get(0).key().parts();
		for (int i = 1; i < requests.size(); i++) {
			if (key.isEmpty() || !requests.get(i).key().parts().equals(key)) {
				return false;
			}
		}
		return true;
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

}
