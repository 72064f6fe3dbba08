// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.util.List;

/**
 * The jobs of a queue, counted.
 *
 * @param jobs all that have not ended
 * @param inFlight those that run
 * @param delayed those that wait for a delay or for another attempt
 * @param deadLetters those that were given up and are kept
 * @param oldestReadyMillis for how long the first of those that could run has waited, or
 * -1 if there is none
 * @param ready those that could run, by priority from 0 to 9
 */
public record QueueView(long jobs, long inFlight, long delayed, long deadLetters, long oldestReadyMillis,
		List<Long> ready) {

	static final QueueView NONE = new QueueView(0, 0, 0, 0, -1, List.of());

	public long waiting() {
		return this.ready.stream().mapToLong(Long::longValue).sum();
	}

}
