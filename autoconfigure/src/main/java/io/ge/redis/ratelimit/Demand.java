/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;

/**
 * One permit wanted of one limit.
 *
 * @param limit the limit
 * @param key whom it limits; empty for all callers together
 */
record Demand(RateLimit limit, List<String> key) {

	static Demand ofAll(RateLimit limit) {
		return new Demand(limit, List.of());
	}

}
