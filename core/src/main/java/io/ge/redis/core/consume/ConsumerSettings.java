// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;

import io.ge.redis.Acknowledgment;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a container, the same for all sources. The properties of the pattern are
 * checked where they are set.
 *
 * @param concurrency how many handler calls at a time, the permits
 * @param batchSize how many deliveries a call gets at most, 1 for listeners of single
 * messages
 * @param lease time after which the messages of an instance that is silent are taken
 * over; {@code min-idle} of a stream, the visibility timeout of a queue. Leases are
 * extended, and silent instances looked for, every third of it
 * @param linger longest time for which settlements are collected, to be sent together
 * @param manual whether only an {@link Acknowledgment} settles what was handled
 * @param drain how long at most a stop still takes what is there, zero for not at all
 * @param shutdown how long at most a stop waits for handlers, after which their messages
 * are left to others
 * @param autoStartup whether it takes from the start on, else it begins paused
 * @param maxProcessing time after which a call of a handler is overdue, or {@code null}
 */
public record ConsumerSettings(int concurrency, int batchSize, Duration lease, Duration linger, boolean manual,
		Duration drain, Duration shutdown, boolean autoStartup, @Nullable Duration maxProcessing) {

	/**
	 * Returns the time between two heartbeats, and between two looks for what others have
	 * left.
	 */
	public Duration period() {
		return this.lease.dividedBy(3);
	}

}
