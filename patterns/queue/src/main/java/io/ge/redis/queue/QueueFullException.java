// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A queue holds {@code max-length} jobs. Over HTTP a 503 with {@code Retry-After}.
 */
public class QueueFullException extends GeRedisException {

	public QueueFullException(String queue, long jobs) {
		super("Queue '" + queue + "' has no room: it holds " + jobs + " jobs. Find out why they are not done, or raise"
				+ " ge.redis.queue.queues." + queue + ".max-length", false);
	}

	@Override
	public Refusal refusal() {
		return Refusal.temporary("Too many jobs wait. Nothing was changed. Please try again.");
	}

}
