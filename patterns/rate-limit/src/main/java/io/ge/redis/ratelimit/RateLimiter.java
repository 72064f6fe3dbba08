// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.StandIn;
import org.jspecify.annotations.Nullable;

/**
 * Rate limits in code, for what an annotation cannot express.
 * <p>
 * Each decision costs one script call and one round trip for all its limits, on a Cluster
 * for the limits of each slot. It costs none while an earlier refusal must still hold. It
 * waits for Redis at most {@code ge.redis.outage.command-timeout}. If a limit has a wait,
 * the calling thread also waits for its permits.
 * <p>
 * A decision throws {@link io.ge.redis.RedisUnavailableException} if Redis is unavailable
 * and the policy of one of its limits is to deny. Methods that take a name throw
 * {@link IllegalArgumentException} if there is no limit of that name.
 * <p>
 * Each method that may wait for Redis has a variant named {@code ...Async} that never
 * blocks. It completes with what the other one returns or throws: at once where memory
 * answers, else on a thread of the application, which finds what is bound to the calling
 * one where {@code io.micrometer:context-propagation} is present. Cancelling it before it
 * is complete refunds the permits. Names, keys and costs that cannot be are refused by an
 * exception at once. An implementation of your own inherits variants that call the
 * blocking method on the JDK's common pool.
 */
public interface RateLimiter {

	/**
	 * Takes one permit, as {@link #tryAcquire(String, Object, long)}.
	 */
	default RateLimitDecision tryAcquire(String name, Object key) {
		return tryAcquire(name, key, 1);
	}

	/**
	 * Takes permits of a limit that properties or an annotation define.
	 * @param name the name of the limit
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @param cost how many permits; zero takes none
	 * @return the decision
	 * @throws RateLimitCostException if the limit never gives so many at once
	 */
	default RateLimitDecision tryAcquire(String name, Object key, long cost) {
		return tryAcquire(RateLimitRequest.of(name, key).withCost(cost));
	}

	/**
	 * Takes permits of several limits, all or nothing.
	 * @param request the limits, key and cost
	 * @return the decision
	 * @throws IllegalArgumentException if there is no limit of a name, or one is named
	 * twice for the same key
	 * @throws RateLimitCostException if a limit never gives so many at once
	 */
	RateLimitDecision tryAcquire(RateLimitRequest request);

	/**
	 * Takes a permit of limits with one key that need not be defined elsewhere, all or
	 * nothing.
	 * @param limits the limits, with different names
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @return the decision
	 * @throws IllegalArgumentException if a limit cannot work, such as an exact one above
	 * {@code ge.redis.rate-limit.largest-exact-limit}, or if two have the same name
	 */
	RateLimitDecision tryAcquire(List<RateLimit> limits, Object key);

	/**
	 * Takes a permit without blocking, as {@link #tryAcquire(String, Object)}.
	 */
	default CompletionStage<RateLimitDecision> tryAcquireAsync(String name, Object key) {
		return tryAcquireAsync(name, key, 1);
	}

	/**
	 * Takes permits without blocking, as {@link #tryAcquire(String, Object, long)}.
	 */
	default CompletionStage<RateLimitDecision> tryAcquireAsync(String name, Object key, long cost) {
		return tryAcquireAsync(RateLimitRequest.of(name, key).withCost(cost));
	}

	/**
	 * Takes permits without blocking, as {@link #tryAcquire(RateLimitRequest)}.
	 */
	default CompletionStage<RateLimitDecision> tryAcquireAsync(RateLimitRequest request) {
		return CompletableFuture.supplyAsync(() -> tryAcquire(request));
	}

	/**
	 * Takes a permit without blocking, as {@link #tryAcquire(List, Object)}.
	 */
	default CompletionStage<RateLimitDecision> tryAcquireAsync(List<RateLimit> limits, Object key) {
		return CompletableFuture.supplyAsync(() -> tryAcquire(limits, key));
	}

	/**
	 * Takes a permit, and refuses by exception.
	 * @param name the name of the limit
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @throws RateLimitExceededException if the call may not proceed
	 */
	default void acquire(String name, Object key) {
		if (tryAcquire(name, key) instanceof RateLimitDecision.Denied denied) {
			throw new RateLimitExceededException(denied);
		}
	}

	/**
	 * Takes a permit without blocking, or fails, as {@link #acquire}.
	 */
	default CompletionStage<@Nullable Void> acquireAsync(String name, Object key) {
		return tryAcquireAsync(name, key).thenApply((decision) -> {
			if (decision instanceof RateLimitDecision.Denied denied) {
				throw new RateLimitExceededException(denied);
			}
			return null;
		});
	}

	/**
	 * Refunds what a decision took, once. Does not wait for Redis; if it is unavailable,
	 * the permits stay taken until their window has passed.
	 * @param allowed the decision
	 */
	void refund(RateLimitDecision.Allowed allowed);

	/**
	 * Forgets what a key has used of a limit, on all instances. One script call.
	 * @param name the name of the limit
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable; then only
	 * what this instance has counted meanwhile is certain to be forgotten
	 */
	void reset(String name, Object key);

	/**
	 * Forgets without blocking what a key has used of a limit, as {@link #reset}.
	 */
	default CompletionStage<@Nullable Void> resetAsync(String name, Object key) {
		return CompletableFuture.<@Nullable Void>supplyAsync(() -> {
			reset(name, key);
			return null;
		});
	}

	/**
	 * Returns a rate limiter that needs no Redis, as it is injected where rate limits are
	 * switched off, and for unit tests. It allows everything, also by names without a
	 * definition, and counts nothing.
	 * @return the rate limiter
	 */
	static RateLimiter unguarded() {
		RateLimitDecision allowed = new RateLimitDecision.Allowed(List.of(), () -> 0);
		return StandIn.of(RateLimiter.class, Map.of("tryAcquire", (call) -> allowed, "reset", (call) -> null));
	}

}
