// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import io.ge.redis.RedisUnavailableException;

/**
 * Policies for calls while Redis cannot decide.
 */
public enum OutagePolicy {

	/**
	 * The policy of the pattern's properties, else the pattern's own default. Annotations
	 * only: no value of a property.
	 */
	DEFAULT,

	/**
	 * The call proceeds unguarded.
	 */
	ALLOW,

	/**
	 * The call is refused with {@link RedisUnavailableException}, over HTTP a 503: never
	 * with the answer of a decision that was not made.
	 */
	DENY,

	/**
	 * The same rule is enforced by each instance on its own, on its share of it.
	 */
	LOCAL

}
