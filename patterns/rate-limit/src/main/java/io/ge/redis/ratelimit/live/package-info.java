// SPDX-License-Identifier: Apache-2.0

/**
 * Changes of limits at run time, on all instances at once.
 */
@NullMarked
package io.ge.redis.ratelimit.live;

import org.jspecify.annotations.NullMarked;
