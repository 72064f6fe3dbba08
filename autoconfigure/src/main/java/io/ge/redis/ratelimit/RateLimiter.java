/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;

/**
 * Rate limits in code, for what an annotation cannot express.
 * <p>
 * Each call costs one script call and one round trip, and waits for Redis at most
 * {@code ge.redis.outage.command-timeout}.
 */
public interface RateLimiter {

	/**
	 * Decides on a call by a limit that properties or an annotation define.
	 * @param name the name of the limit
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @return the decision
	 * @throws IllegalArgumentException if there is no limit of that name
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis is away and the
	 * policy is to deny
	 */
	RateLimitDecision tryAcquire(String name, Object key);

	/**
	 * Decides on a call by limits with one key, all or nothing.
	 * @param limits the limits, with different names
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @return the decision
	 * @throws io.ge.redis.core.outage.RedisUnavailableException if Redis is away and the
	 * policy of one of the limits is to deny
	 */
	RateLimitDecision tryAcquire(List<RateLimit> limits, Object key);

	/**
	 * Decides on a call and refuses it by exception.
	 * @param name the name of the limit
	 * @param key whom or what is limited: text, a number, or a list of those
	 * @throws RateLimitExceededException if the call may not proceed
	 */
	default void acquire(String name, Object key) {
		if (tryAcquire(name, key) instanceof RateLimitDecision.Denied denied) {
			throw new RateLimitExceededException(denied);
		}
	}

}
