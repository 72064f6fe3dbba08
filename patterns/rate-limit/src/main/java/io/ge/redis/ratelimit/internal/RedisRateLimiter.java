// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import io.ge.redis.core.batch.Batcher;
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
import org.jspecify.annotations.Nullable;

/**
 * The limits' state in Redis, see {@link RedisLimitKeys} and {@code decide.lua}.
 * <p>
 * An admission whose reply was lost stays counted: it can only admit too few.
 * <p>
 * One script decides on calls of one key that arrive together and request the same, one
 * after the other in the order of their arrival. Each gets the decision that it would
 * have got alone. A call waits for others for at most 20 ms of its budget, see
 * {@link Batcher}.
 */
class RedisRateLimiter implements Batcher.Calls<List<PermitRequest>, RedisDecision> {

	static final int MOST_IN_FLIGHT = 4;

	static final Duration LONGEST_WAIT = Duration.ofMillis(20);

	/** A script that takes more permits of a limit might keep others waiting. */
	static final int MOST_PERMITS = 500;

	private static final LuaScript DECIDE = LuaScript.load(RateLimiter.class, "decide.lua");

	private static final LuaScript REFUND = LuaScript.load(RateLimiter.class, "refund.lua");

	private static final LuaScript GIVE_BACK = LuaScript.load(RateLimiter.class, "give-back.lua");

	private static final LuaScript RESET = LuaScript.load(RateLimiter.class, "reset.lua");

	private static final int HEAD = 1;

	private static final int ARGUMENTS = 7;

	private final GuardedRedis redis;

	private final RedisLimitKeys keys;

	private final String notificationChannel;

	private final Batcher<List<PermitRequest>, RedisDecision> batcher;

	public RedisRateLimiter(GuardedRedis redis, KeySpace keys, String notificationChannel) {
		this(redis, keys, notificationChannel, System::nanoTime);
	}

	RedisRateLimiter(GuardedRedis redis, KeySpace keys, String notificationChannel, LongSupplier nanoTime) {
		this.redis = redis;
		this.keys = new RedisLimitKeys(keys);
		this.notificationChannel = notificationChannel;
		this.batcher = new Batcher<>(this, MOST_IN_FLIGHT, LONGEST_WAIT, nanoTime);
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	RedisLimitKey keyOf(RateLimit limit, List<String> parts) {
		return this.keys.of(limit, parts);
	}

	/**
	 * Decides on requests whose states are in one slot, perhaps together with other
	 * calls.
	 */
	CompletableFuture<RedisDecision> decide(List<PermitRequest> requests, CallBudget budget) {
		return canShare(requests) ? this.batcher.submit(requests.get(0).key().queue(), requests, budget)
				: send(requests, budget);
	}

	/**
	 * Returns whether the decisions on several calls follow from one: each takes its
	 * permits at once or not at all.
	 */
	private static boolean canShare(List<PermitRequest> requests) {
		long cost = requests.get(0).cost();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			RateLimit limit = request.limit();
			if (cost == 0 || request.cost() != cost || limit.shadow() || !limit.waitTime().isZero()) {
				return false;
			}
		}
		return true;
	}

	@Override
	public boolean areAlike(List<PermitRequest> requests, List<PermitRequest> others) {
		return requests.equals(others);
	}

	@Override
	public int mostOf(List<PermitRequest> requests) {
		return (int) (MOST_PERMITS / requests.get(0).cost());
	}

	@Override
	public CompletableFuture<RedisDecision> send(List<PermitRequest> requests, CallBudget budget) {
		return decide(requests, 0, budget);
	}

	@Override
	public CompletableFuture<List<@Nullable RedisDecision>> sendAll(List<List<PermitRequest>> calls,
			CallBudget budget) {
		List<PermitRequest> requests = calls.get(0);
		long others = (calls.size() - 1) * requests.get(0).cost();
		return decide(requests, others, budget).thenApply((decision) -> {
			List<@Nullable RedisDecision> decisions = new ArrayList<>(calls.size());
			for (int i = 0; i < calls.size(); i++) {
				decisions.add(decision.ofCall(i));
			}
			return decisions;
		});
	}

	/**
	 * Decides on requests whose states are in one slot.
	 * @param others permits of each limit for other calls that wait for the reply,
	 * besides the permits of the call
	 */
	CompletableFuture<RedisDecision> decide(List<PermitRequest> requests, long others, CallBudget budget) {
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
		arguments.add(this.notificationChannel);
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
		ScriptCall call = ScriptCall.of(GIVE_BACK, request.key().redisKey(), this.notificationChannel,
				RedisLimitKeys.kindOf(limit), limit.limit(), limit.windowMicros(), request.cost());
		return this.redis.run(call, newBudget()).thenApply((reply) -> reply.number(0));
	}

	CompletableFuture<Void> reset(List<PermitRequest> requests) {
		return CompletableFuture.allOf(groups(requests).stream()
			.map((group) -> ScriptCall.of(RESET, keys(group), this.notificationChannel))
			.map((call) -> this.redis.run(call, newBudget()))
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Parts requests such that each part can be asked in one script call.
	 */
	List<List<PermitRequest>> groups(List<PermitRequest> requests) {
		if (requests.size() == 1 || !this.redis.isClustered()) {
			return List.of(requests);
		}
		List<List<PermitRequest>> groups = new ArrayList<>();
		for (List<Integer> positions : this.redis.groups(keys(requests), requests.size())) {
			groups.add(positions.stream().map(requests::get).toList());
		}
		return groups;
	}

	private static List<RedisKey> keys(List<PermitRequest> requests) {
		return requests.stream().map((request) -> request.key().redisKey()).toList();
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

}
