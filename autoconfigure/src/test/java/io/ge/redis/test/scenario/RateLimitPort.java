// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

/**
 * A rate limit of so many calls per window over all instances, whoever implements it. It
 * is configured with {@link RateLimitScenario#LIMIT} and
 * {@link RateLimitScenario#WINDOW}.
 */
@FunctionalInterface
public interface RateLimitPort {

	/**
	 * Asks for one permit.
	 * @param key whom or what is limited
	 * @return the decision
	 * @throws Exception if there is no decision
	 */
	Decision ask(String key) throws Exception;

	/**
	 * What came of it.
	 */
	enum Decision {

		/** Admitted by the limit of all instances. */
		ADMITTED,

		/** Admitted by this instance alone, while Redis is away. */
		ADMITTED_LOCALLY,

		/** Refused. */
		DENIED

	}

}
