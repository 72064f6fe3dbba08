// SPDX-License-Identifier: Apache-2.0

/**
 * Positions and their sales: each sale happens once, however often it is asked for.
 */
@NullMarked
package io.ge.redis.sample.position;

import org.jspecify.annotations.NullMarked;
