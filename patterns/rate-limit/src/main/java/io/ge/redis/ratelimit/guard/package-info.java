// SPDX-License-Identifier: Apache-2.0

/**
 * Annotated methods, rules for requests and the operator's view, and the assembly of the
 * pattern.
 */
@NullMarked
package io.ge.redis.ratelimit.guard;

import org.jspecify.annotations.NullMarked;
