// SPDX-License-Identifier: Apache-2.0

/**
 * Extension points of idempotent calls, through which HTTP exchanges are recorded and
 * replayed.
 */
@NullMarked
package io.ge.redis.idempotency.spi;

import org.jspecify.annotations.NullMarked;
