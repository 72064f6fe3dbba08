/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;

/**
 * A request for permits of one limit.
 *
 * @param key whom it limits; empty for all callers together
 * @param cost how many permits; zero only looks
 */
public record PermitRequest(RateLimit limit, List<String> key, long cost) {

	public static List<PermitRequest> of(List<RateLimit> limits, List<String> key, long cost) {
		if (limits.size() == 1) {
			return List.of(new PermitRequest(limits.get(0), key, cost));
		}
		List<PermitRequest> requests = new ArrayList<>(limits.size());
		for (RateLimit limit : limits) {
			requests.add(new PermitRequest(limit, key, cost));
		}
		return requests;
	}

}
