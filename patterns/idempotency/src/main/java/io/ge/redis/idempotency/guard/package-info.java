// SPDX-License-Identifier: Apache-2.0

/**
 * Annotated methods, calls by code and the operator's view, and the assembly of the
 * pattern.
 */
@NullMarked
package io.ge.redis.idempotency.guard;

import org.jspecify.annotations.NullMarked;
