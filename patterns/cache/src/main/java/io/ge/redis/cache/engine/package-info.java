// SPDX-License-Identifier: Apache-2.0

/**
 * Entries in Redis and their keys, lookups and loads in flight, invalidations, and what
 * is to be removed once Redis answers again.
 */
@NullMarked
package io.ge.redis.cache.engine;

import org.jspecify.annotations.NullMarked;
