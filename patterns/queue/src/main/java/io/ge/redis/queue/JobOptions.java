// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.queue;

import java.time.Duration;

import io.ge.redis.core.invocation.Times;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Options of a job. Immutable.
 *
 * @param priority from 0 to 9, the highest first; {@code null} for the priority of the
 * queue
 * @param delay time before which it does not run
 * @param key refuses other jobs with this key while this one waits or runs, and for
 * {@code dedup-window} after its end unless it has failed; only its hash is stored
 */
public record JobOptions(@Nullable Integer priority, Duration delay, @Nullable String key) {

	static final int HIGHEST = 9;

	public JobOptions {
		Assert.isTrue(priority == null || (priority >= 0 && priority <= HIGHEST),
				() -> "priority must be from 0 to 9, was " + priority);
		Times.millis("delay", delay, 0);
		Assert.isTrue(key == null || !key.isEmpty(), "key must not be empty");
	}

	/**
	 * Returns options that leave everything to the queue.
	 */
	public static JobOptions defaults() {
		return new JobOptions(null, Duration.ZERO, null);
	}

	public JobOptions priority(int priority) {
		return new JobOptions(priority, this.delay, this.key);
	}

	public JobOptions delay(Duration delay) {
		return new JobOptions(this.priority, delay, this.key);
	}

	public JobOptions key(String key) {
		return new JobOptions(this.priority, this.delay, key);
	}

}
