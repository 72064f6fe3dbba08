// SPDX-License-Identifier: Apache-2.0

/**
 * Outages of Redis: one budget, one breaker, one set of causes and policies, and the
 * compensation of unknown outcomes.
 */
@NullMarked
package io.ge.redis.core.outage;

import org.jspecify.annotations.NullMarked;
