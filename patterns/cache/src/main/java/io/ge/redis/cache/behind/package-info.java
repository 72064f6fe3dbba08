// SPDX-License-Identifier: Apache-2.0

/**
 * Caches that are written behind: {@link io.ge.redis.cache.behind.WriteBehindStore} beans
 * write to the database what was put into the cache before. Nothing that Redis keeps is
 * lost, and each key is written in order.
 */
@NullMarked
package io.ge.redis.cache.behind;

import org.jspecify.annotations.NullMarked;
