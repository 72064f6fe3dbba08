/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.List;

/**
 * A request for permits of each limit beyond those of the call that a script decides on.
 *
 * @param permits how many
 * @param usable how long they may be used at most, zero if they are for calls that wait
 * for the reply
 */
public record ExtraPermits(long permits, Duration usable) {

	public static final ExtraPermits NONE = new ExtraPermits(0, Duration.ZERO);

	/** So long a lease lasts at most: what an instance that dies takes with it. */
	static final Duration LONGEST_LEASE = Duration.ofSeconds(1);

	/** A lease lasts no longer than this part of any window. */
	private static final int LEASES_PER_WINDOW = 10;

	/**
	 * Requests permits in advance.
	 */
	static ExtraPermits lease(long permits, List<PermitRequest> requests) {
		return (permits > 0) ? new ExtraPermits(permits, longestLease(requests)) : NONE;
	}

	/**
	 * Requests the permits of other calls.
	 */
	static ExtraPermits calls(long permits) {
		return (permits > 0) ? new ExtraPermits(permits, Duration.ZERO) : NONE;
	}

	/**
	 * Returns how long permits that are taken in advance may be used at most.
	 */
	static Duration longestLease(List<PermitRequest> requests) {
		Duration longest = LONGEST_LEASE;
		for (PermitRequest request : requests) {
			Duration part = request.limit().window().dividedBy(LEASES_PER_WINDOW);
			longest = (part.compareTo(longest) < 0) ? part : longest;
		}
		return longest;
	}

}
