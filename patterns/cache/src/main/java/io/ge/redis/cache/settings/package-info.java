// SPDX-License-Identifier: Apache-2.0

/**
 * The caches by name: what annotations and properties say about each, merged and checked.
 */
@NullMarked
package io.ge.redis.cache.settings;

import org.jspecify.annotations.NullMarked;
