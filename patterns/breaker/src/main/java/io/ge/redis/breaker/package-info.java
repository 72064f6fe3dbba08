// SPDX-License-Identifier: Apache-2.0

/**
 * Circuit breakers: {@link io.ge.redis.breaker.CircuitBreaker} on methods,
 * {@link io.ge.redis.breaker.CircuitBreakers} in code.
 */
@NullMarked
package io.ge.redis.breaker;

import org.jspecify.annotations.NullMarked;
