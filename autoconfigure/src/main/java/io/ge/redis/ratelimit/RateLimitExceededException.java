/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.List;

import io.ge.redis.GeRedisException;

/**
 * A call was refused by its rate limit and has not run. Over HTTP a 429.
 */
public class RateLimitExceededException extends GeRedisException {

	private final transient RateLimitDecision.Denied decision;

	/**
	 * Creates an exception.
	 * @param decision the decision
	 */
	public RateLimitExceededException(RateLimitDecision.Denied decision) {
		super("Rate limit exceeded: " + String.join(", ", decision.violated()));
		this.decision = decision;
	}

	/**
	 * Returns the names of the limits that refused.
	 * @return the names
	 */
	public List<String> violated() {
		return this.decision.violated();
	}

	/**
	 * Returns when the call would be admitted if nobody else made one.
	 * @return the wait, never too short
	 */
	public Duration retryAfter() {
		return this.decision.retryAfter();
	}

	/**
	 * Returns where each limit of the call stands.
	 * @return the quotas
	 */
	public List<Quota> quotas() {
		return this.decision.quotas();
	}

}
