// SPDX-License-Identifier: Apache-2.0

/**
 * Hashes.
 */
@NullMarked
package io.ge.redis.core.hash;

import org.jspecify.annotations.NullMarked;
