// SPDX-License-Identifier: Apache-2.0

/**
 * Entries: their keys, values as bytes, tags and their versions, and the memory of this
 * instance.
 */
@NullMarked
package io.ge.redis.cache.internal.engine;

import org.jspecify.annotations.NullMarked;
