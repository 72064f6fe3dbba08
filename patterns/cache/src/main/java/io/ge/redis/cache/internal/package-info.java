// SPDX-License-Identifier: Apache-2.0

/**
 * The guards on cached methods, the same caches in code and for Spring's cache
 * abstraction, warm-up, and the assembly.
 */
@NullMarked
package io.ge.redis.cache.internal;

import org.jspecify.annotations.NullMarked;
