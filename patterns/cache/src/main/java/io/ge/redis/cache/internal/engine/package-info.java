// SPDX-License-Identifier: Apache-2.0

/**
 * Entries in Redis and in the memory of this instance, their keys, values as bytes, the
 * caches by name, and loads in flight.
 */
@NullMarked
package io.ge.redis.cache.internal.engine;

import org.jspecify.annotations.NullMarked;
