// SPDX-License-Identifier: Apache-2.0

/**
 * Quotes of suppliers, behind a circuit breaker.
 */
@NullMarked
package io.ge.redis.sample.supplier;

import org.jspecify.annotations.NullMarked;
