// SPDX-License-Identifier: Apache-2.0

/**
 * Job queues: {@code @RedisJob} on methods, {@code JobQueue} in code.
 */
@NullMarked
package io.ge.redis.queue;

import org.jspecify.annotations.NullMarked;
