// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts of calls, in virtual time.
 */
class CircuitWindowTests {

	private static final long SECOND = 1_000_000_000L;

	private final CircuitWindow window = new CircuitWindow(Duration.ofSeconds(10), SECOND);

	@Test
	void countsCallsOfTheLastSecondAndOfTheWindow() {
		this.window.record(SECOND, true, false);
		this.window.record(5 * SECOND, false, true);
		this.window.record(5 * SECOND, false, false);
		assertThat(this.window.all(5 * SECOND)).isEqualTo(new CircuitWindow.Sums(3, 1, 1));
		assertThat(this.window.lastSecond(5 * SECOND)).isEqualTo(new CircuitWindow.Sums(2, 0, 1));
	}

	@Test
	void forgetsWhatIsOlderThanTheWindow() {
		this.window.record(SECOND, true, false);
		assertThat(this.window.all(11 * SECOND - 1).calls()).isEqualTo(1);
		assertThat(this.window.all(11 * SECOND).calls()).isZero();
		this.window.record(11 * SECOND, false, false);
		assertThat(this.window.all(11 * SECOND)).isEqualTo(new CircuitWindow.Sums(1, 0, 0));
	}

	@Test
	void stopsCountingBeforeASliceOverflows() {
		for (int i = 0; i < 70_000; i++) {
			this.window.record(SECOND, true, true);
		}
		assertThat(this.window.all(SECOND)).isEqualTo(new CircuitWindow.Sums(65_535, 65_535, 65_535));
	}

}
