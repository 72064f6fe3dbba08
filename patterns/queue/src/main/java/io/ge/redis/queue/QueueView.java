// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.util.List;

/**
 * The jobs of a queue, counted.
 *
 * @param jobs all that have not ended
 * @param inFlight running jobs
 * @param delayed jobs that wait for a delay or for another attempt
 * @param deadLetters jobs that were given up and are kept
 * @param oldestReadyMillis wait of the oldest job that could run, or -1 if there is none
 * @param ready jobs that could run, by priority from 0 to 9
 */
public record QueueView(long jobs, long inFlight, long delayed, long deadLetters, long oldestReadyMillis,
		List<Long> ready) {

	static final QueueView NONE = new QueueView(0, 0, 0, 0, -1, List.of());

	public long waiting() {
		return this.ready.stream().mapToLong(Long::longValue).sum();
	}

}
