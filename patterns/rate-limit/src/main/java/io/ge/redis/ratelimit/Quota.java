// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.time.Duration;

/**
 * State of one limit after a decision.
 *
 * @param limit the limit
 * @param remaining permits left
 * @param restoredAfter time until the next permit is restored
 */
public record Quota(RateLimit limit, long remaining, Duration restoredAfter) {
}
