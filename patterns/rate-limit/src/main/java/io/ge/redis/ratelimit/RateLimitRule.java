// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.util.List;

/**
 * A rule of {@code ge.redis.rate-limit.rules} and the limits that it applies. Which
 * requests it is about, and what their keys are, know the adapters that know requests.
 *
 * @param place the property that describes it, such as
 * {@code ge.redis.rate-limit.rules[0]}
 * @param settings the rule as it is written
 * @param limits the limits, at least one
 */
public record RateLimitRule(String place, RateLimitProperties.Rule settings, List<RateLimit> limits) {
}
