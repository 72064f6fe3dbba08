// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.util.List;

/**
 * Chooses the settings of a limit for one caller: plans, tenants, contracts. A bean of
 * this type is asked for every call, before Redis is, and so answers from memory.
 * Properties and changes at the endpoint for that very key win over its answer.
 */
@FunctionalInterface
public interface RateLimitResolver {

	/**
	 * Returns the settings that apply to a caller.
	 * @param limit the settings that apply to all, changes at run time included
	 * @param key whom or what is limited, as evaluated; empty if it is a limit for all
	 * callers together
	 * @return the same limit, or one of the same name and algorithm with another
	 * {@link RateLimit#withLimit limit}, {@link RateLimit#withWindow window} or
	 * {@link RateLimit#withBurst burst}
	 */
	RateLimit resolve(RateLimit limit, List<String> key);

}
