// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;

import io.ge.redis.core.key.KeySpace;
import io.ge.redis.ratelimit.RateLimit;

/**
 * Requests as an engine makes them. Each has a key object of its own, so that only those
 * share scripts that are made from one request.
 */
public final class TestRequests {

	private TestRequests() {
	}

	public static PermitRequest of(RateLimit limit, List<String> key, long cost) {
		return new PermitRequest(limit, new RedisLimitKeys(new KeySpace("ge", "ratelimit")).of(limit, key), cost);
	}

}
