/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.List;

/**
 * Permits that a script call wants beyond those of the call it decides on, of each limit.
 *
 * @param permits how many
 * @param usable how long they may be used at most, zero if they are for calls that wait
 * for the reply
 */
record Further(long permits, Duration usable) {

	static final Further NONE = new Further(0, Duration.ZERO);

	/** So long a lease lasts at most: what an instance that dies takes with it. */
	static final Duration LONGEST_LEASE = Duration.ofSeconds(1);

	/** A lease lasts no longer than this part of any window. */
	private static final int LEASES_PER_WINDOW = 10;

	/**
	 * Wants permits in advance.
	 */
	static Further lease(long permits, List<Demand> demands) {
		return (permits > 0) ? new Further(permits, longestLease(demands)) : NONE;
	}

	/**
	 * Wants the permits of other calls.
	 */
	static Further calls(long permits) {
		return (permits > 0) ? new Further(permits, Duration.ZERO) : NONE;
	}

	/**
	 * Returns how long permits that are taken in advance may be used at most.
	 */
	static Duration longestLease(List<Demand> demands) {
		Duration longest = LONGEST_LEASE;
		for (Demand demand : demands) {
			Duration part = demand.limit().window().dividedBy(LEASES_PER_WINDOW);
			longest = (part.compareTo(longest) < 0) ? part : longest;
		}
		return longest;
	}

}
