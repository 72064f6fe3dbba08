// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;

import io.ge.redis.core.event.EventMeter;

/**
 * A holder has finished.
 *
 * @param name the name of the lock
 * @param held the time for which it held the lock
 */
public record LockReleaseEvent(String name, Duration held) implements LockEvent {

	private static final EventMeter HOLD = EventMeter.timer("ge.redis.lock.hold", "Time for which locks were held")
		.of("lock");

	@Override
	public String result() {
		return "released";
	}

	@Override
	public EventMeter meter() {
		return HOLD;
	}

	@Override
	public long amount() {
		return this.held.toNanos();
	}

}
