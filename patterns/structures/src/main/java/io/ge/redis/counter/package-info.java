// SPDX-License-Identifier: Apache-2.0

/**
 * Unique counters: how many different values there were, in 12 KB for any number of them.
 */
@NullMarked
package io.ge.redis.counter;

import org.jspecify.annotations.NullMarked;
