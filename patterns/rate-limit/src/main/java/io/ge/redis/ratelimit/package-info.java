// SPDX-License-Identifier: Apache-2.0

/**
 * Rate limits: {@link io.ge.redis.ratelimit.RateLimited} on methods,
 * {@link io.ge.redis.ratelimit.RateLimiter} in code.
 */
@NullMarked
package io.ge.redis.ratelimit;

import org.jspecify.annotations.NullMarked;
