// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Instant;

/**
 * A job as a listener receives it.
 *
 * @param id the id
 * @param queue the name of the queue
 * @param priority from 0 to 9
 * @param arrivedAt when it entered the queue or its delay ended, by Redis' clock
 * @param payload the payload
 * @param <T> the payload's type
 */
public record Job<T>(String id, String queue, int priority, Instant arrivedAt, T payload) {
}
