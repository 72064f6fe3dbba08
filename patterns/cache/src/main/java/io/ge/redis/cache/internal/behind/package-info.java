// SPDX-License-Identifier: Apache-2.0

/**
 * Changes that are written behind: they wait in Redis, and reach their
 * {@link io.ge.redis.cache.WriteBehindStore} in order of their key.
 */
@NullMarked
package io.ge.redis.cache.internal.behind;

import org.jspecify.annotations.NullMarked;
