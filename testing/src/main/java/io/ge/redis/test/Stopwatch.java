// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Measures how long something takes, in the time that the machine has given to this JVM:
 * what passes while others are busy on it and nobody here goes on does not count. So an
 * upper bound says the same on a busy machine as on an idle one, where every moment
 * counts. For lower bounds {@link System#nanoTime()} is right.
 */
public final class Stopwatch {

	private static final Pulse PULSE = new Pulse(System.nanoTime());

	static {
		Thread heart = new Thread(Stopwatch::beat, "pulse");
		heart.setDaemon(true);
		heart.start();
	}

	private final long started = given();

	private Stopwatch() {
	}

	/**
	 * Starts to measure.
	 * @return the watch
	 */
	public static Stopwatch start() {
		return new Stopwatch();
	}

	/**
	 * Waits until something holds, which must be soon.
	 * @param bound the longest time it may take
	 * @param condition what has to hold
	 * @throws AssertionError if it takes longer
	 */
	public static void within(Duration bound, Callable<Boolean> condition) {
		Stopwatch watch = start();
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.atMost(bound.multipliedBy(60))
			.until(() -> {
				boolean holds = condition.call();
				assertThat(watch.elapsed()).as(holds ? "held" : "does not hold yet").isLessThanOrEqualTo(bound);
				return holds;
			});
	}

	/**
	 * Returns how long it has taken.
	 * @return the time since the start
	 */
	public Duration elapsed() {
		return Duration.ofNanos(given() - this.started);
	}

	private static long given() {
		return PULSE.given(System.nanoTime());
	}

	private static void beat() {
		while (true) {
			LockSupport.parkNanos(Pulse.PERIOD);
			PULSE.beat(System.nanoTime());
		}
	}

}
