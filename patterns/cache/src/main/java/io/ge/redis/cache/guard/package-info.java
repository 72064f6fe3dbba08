// SPDX-License-Identifier: Apache-2.0

/**
 * Annotated methods, the caches in code, the view of operators, and the assembly of it
 * all.
 */
@NullMarked
package io.ge.redis.cache.guard;

import org.jspecify.annotations.NullMarked;
