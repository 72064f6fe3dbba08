// SPDX-License-Identifier: Apache-2.0

/**
 * Streams: {@code @RedisStreamListener} on methods, {@code StreamPublisher} in code.
 */
@NullMarked
package io.ge.redis.stream;

import org.jspecify.annotations.NullMarked;
