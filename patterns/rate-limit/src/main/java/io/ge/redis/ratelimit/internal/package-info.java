// SPDX-License-Identifier: Apache-2.0

/**
 * The guard on limited methods, the limits that are in effect, and the decisions: from
 * memory, by one script call, or by this instance alone while Redis is unavailable.
 */
@NullMarked
package io.ge.redis.ratelimit.internal;

import org.jspecify.annotations.NullMarked;
