// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PulseTests {

	/** Before the clock overflows. */
	private static final long START = Long.MAX_VALUE - Pulse.PERIOD;

	private final Pulse pulse = new Pulse(START);

	@Test
	void everyMomentCountsWhileBeatsAreOnTime() {
		for (int i = 1; i <= 100; i++) {
			this.pulse.beat(START + i * Pulse.PERIOD);
		}
		assertThat(this.pulse.given(START + 100 * Pulse.PERIOD)).isEqualTo(100 * Pulse.PERIOD);
		assertThat(this.pulse.given(START + 100 * Pulse.PERIOD + 7)).isEqualTo(100 * Pulse.PERIOD + 7);
	}

	@Test
	void whatABeatIsLateDoesNotCount() {
		this.pulse.beat(START + 1_000 * Pulse.PERIOD);
		assertThat(this.pulse.given(START + 1_000 * Pulse.PERIOD)).isEqualTo(Pulse.MOST);
		this.pulse.beat(START + 1_001 * Pulse.PERIOD);
		assertThat(this.pulse.given(START + 1_001 * Pulse.PERIOD)).isEqualTo(Pulse.MOST + Pulse.PERIOD);
	}

	@Test
	void timeNeverGoesBackWhenALateBeatComes() {
		long before = this.pulse.given(START + 50 * Pulse.PERIOD);
		this.pulse.beat(START + 51 * Pulse.PERIOD);
		assertThat(before).isEqualTo(Pulse.MOST);
		assertThat(this.pulse.given(START + 51 * Pulse.PERIOD)).isEqualTo(before);
		assertThat(this.pulse.given(START)).isEqualTo(before);
	}

}
