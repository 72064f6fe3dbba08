// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Replaces the clock of the Redis server where a pattern is switched off. So fencing
 * tokens, stamps and versions are higher than earlier ones of Redis. They are lower than
 * those that Redis gives when the pattern is on again.
 */
public final class ProcessClock {

	private static final long STARTED = ProcessHandle.current()
		.info()
		.startInstant()
		.orElse(Instant.EPOCH)
		.toEpochMilli() * 1000;

	private static final long LOADED = System.nanoTime();

	private static final AtomicLong LAST = new AtomicLong();

	private ProcessClock() {
	}

	/**
	 * Returns the time, counted from the start of this process.
	 * @return microseconds since 1970, higher with every call
	 */
	public static long next() {
		long now = STARTED + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - LOADED);
		return LAST.updateAndGet((last) -> Math.max(last + 1, now));
	}

}
