// SPDX-License-Identifier: Apache-2.0

/**
 * Readers: a value or several from memory or Redis, or loaded and stored.
 */
@NullMarked
package io.ge.redis.cache.read;

import org.jspecify.annotations.NullMarked;
