// SPDX-License-Identifier: Apache-2.0

/**
 * The shared ground of all patterns: keys, the guards' own connection, scripts, the path
 * from an annotation to an operation, and what happens while Redis is unavailable.
 * Nothing here names a pattern.
 */
@NullMarked
package io.ge.redis.core;

import org.jspecify.annotations.NullMarked;
