/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.List;

import io.ge.redis.ratelimit.RateLimit;

/**
 * A request for permits of one limit.
 *
 * @param limit the limit
 * @param key whom it limits; empty for all callers together
 * @param cost how many permits; zero only looks
 */
public record PermitRequest(RateLimit limit, List<String> key, long cost) {

	public static PermitRequest ofAll(RateLimit limit, long cost) {
		return new PermitRequest(limit, List.of(), cost);
	}

}
