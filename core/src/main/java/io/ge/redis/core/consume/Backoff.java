// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Pauses between the deliveries of a message that has failed, doubled each time.
 *
 * @param initial delay after the first failure, doubled after each further one
 * @param max longest delay
 */
public record Backoff(@DefaultValue("1s") Duration initial, @DefaultValue("1m") Duration max) {

	private static final int MOST_DOUBLINGS = 30;

	public Backoff {
		Assert.isTrue(initial.toMillis() > 0, () -> "backoff.initial must be at least 1ms, was " + initial);
		Assert.isTrue(max.compareTo(initial) >= 0, () -> "backoff.max must not be below backoff.initial, was " + max);
	}

	/**
	 * Returns the pause before the next delivery.
	 * @param attempts how often the message was delivered, at least once
	 */
	public Duration after(int attempts) {
		Duration pause = this.initial.multipliedBy(1L << Math.min(attempts - 1, MOST_DOUBLINGS));
		return (pause.compareTo(this.max) < 0) ? pause : this.max;
	}

}
