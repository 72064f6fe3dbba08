// SPDX-License-Identifier: Apache-2.0

/**
 * Bloom filters: whether a value was added before, in little more than a byte for each.
 */
@NullMarked
package io.ge.redis.bloom;

import org.jspecify.annotations.NullMarked;
