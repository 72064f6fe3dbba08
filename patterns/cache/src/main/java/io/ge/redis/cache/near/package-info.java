// SPDX-License-Identifier: Apache-2.0

/**
 * Values in the memory of this instance.
 */
@NullMarked
package io.ge.redis.cache.near;

import org.jspecify.annotations.NullMarked;
