// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Instant;

/**
 * A job as it comes to a listener.
 *
 * @param id the id
 * @param queue the name of the queue
 * @param priority from 0 to 9
 * @param arrivedAt when it has come into the queue or its delay was over, by Redis' clock
 * @param payload the payload
 * @param <T> the payload's type
 */
public record Job<T>(String id, String queue, int priority, Instant arrivedAt, T payload) {
}
