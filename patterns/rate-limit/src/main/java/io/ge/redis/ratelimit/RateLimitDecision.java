// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.List;

/**
 * A decision of a rate limiter.
 */
public sealed interface RateLimitDecision {

	/**
	 * Returns whether the call may proceed.
	 * @return whether it is allowed
	 */
	default boolean isAllowed() {
		return this instanceof Allowed;
	}

	/**
	 * Returns the state of the limits, as far as it is known.
	 * @return the quotas, without the quotas of shadow limits; empty if the call was
	 * allowed without a decision of Redis
	 */
	List<Quota> quotas();

	/**
	 * The call may proceed, and all its limits are charged.
	 *
	 * @param quotas the state of the limits
	 * @param permits the taken permits, for {@link RateLimiter#refund}
	 */
	record Allowed(List<Quota> quotas, RateLimitPermits permits) implements RateLimitDecision {
	}

	/**
	 * The call may not proceed, and no limit is charged.
	 *
	 * @param quotas the state of the limits
	 * @param violated the names of the limits that refused
	 * @param retryAfter time after which the same call would be admitted without further
	 * calls, never too short
	 */
	record Denied(List<Quota> quotas, List<String> violated, Duration retryAfter) implements RateLimitDecision {
	}

}
