// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;

/**
 * Counts the time that the machine has given to this JVM. Whoever sleeps for a
 * {@link #PERIOD} again and again and wakes later than that was kept from going on, and
 * so was everybody else here: of such a beat no more than {@link #MOST} counts.
 */
final class Pulse {

	static final long PERIOD = Duration.ofMillis(5).toNanos();

	/** What a beat may take on an idle machine. */
	static final long MOST = Duration.ofMillis(6).toNanos();

	private volatile Beat last;

	Pulse(long now) {
		this.last = new Beat(now, 0);
	}

	/**
	 * To be called after each {@link #PERIOD}, by one thread.
	 * @param now the time of {@link System#nanoTime()}
	 */
	void beat(long now) {
		this.last = new Beat(now, given(now));
	}

	/**
	 * Returns the time that was given so far.
	 * @param now the time of {@link System#nanoTime()}
	 * @return the time in nanoseconds
	 */
	long given(long now) {
		Beat beat = this.last;
		return beat.given() + Math.max(0, Math.min(now - beat.at(), MOST));
	}

	private record Beat(long at, long given) {
	}

}
