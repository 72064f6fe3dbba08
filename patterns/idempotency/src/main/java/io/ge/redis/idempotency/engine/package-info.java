// SPDX-License-Identifier: Apache-2.0

/**
 * Claims of keys: decisions from memory or by one script call, waiting, leases and ends
 * of claims.
 */
@NullMarked
package io.ge.redis.idempotency.engine;

import org.jspecify.annotations.NullMarked;
