// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import io.ge.redis.ratelimit.RateLimit;

/**
 * A request for permits of one limit.
 *
 * @param limit the limit as it is now for the key
 * @param cost the number of permits; zero takes none
 */
record PermitRequest(RateLimit limit, RedisLimitKey key, long cost) {
}
