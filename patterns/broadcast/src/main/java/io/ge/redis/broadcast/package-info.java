// SPDX-License-Identifier: Apache-2.0

/**
 * Broadcasts: {@code @RedisBroadcastListener} on methods, {@code Broadcaster} in code.
 */
@NullMarked
package io.ge.redis.broadcast;

import org.jspecify.annotations.NullMarked;
