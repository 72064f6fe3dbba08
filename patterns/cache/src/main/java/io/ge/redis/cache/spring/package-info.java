// SPDX-License-Identifier: Apache-2.0

/**
 * The same caches for Spring's cache abstraction.
 */
@NullMarked
package io.ge.redis.cache.spring;

import org.jspecify.annotations.NullMarked;
