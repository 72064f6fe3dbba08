// SPDX-License-Identifier: Apache-2.0

/**
 * Idempotency keys: a call repeated with the same key has its effect once, and the
 * repetition gets the first answer. {@link io.ge.redis.idempotency.Idempotent} on
 * methods, {@link io.ge.redis.idempotency.Idempotency} in code.
 */
@NullMarked
package io.ge.redis.idempotency;

import org.jspecify.annotations.NullMarked;
