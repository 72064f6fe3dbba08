// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Spread} and the ratios it is made of.
 */
class SpreadTests {

	@Test
	void medianAndQuartilesOfOddNumbers() {
		assertThat(Spread.of(5, 1, 4, 2, 3)).isEqualTo(new Spread(2, 3, 4));
	}

	@Test
	void medianOfEvenNumbersLiesBetween() {
		assertThat(Spread.of(4, 1, 3, 2)).isEqualTo(new Spread(1.75, 2.5, 3.25));
	}

	@Test
	void oneValueHasNoSpread() {
		assertThat(Spread.of(7)).isEqualTo(new Spread(7, 7, 7));
	}

	@Test
	void ofNothingThereIsNone() {
		assertThatIllegalArgumentException().isThrownBy(Spread::of);
	}

	@Test
	void ratiosAreTakenWithinEachRound() {
		// Twice as slow in every round, although the rounds differ by far
		List<Sample> samples = List.of(sample(20), sample(2000), sample(200));
		List<Sample> reference = List.of(sample(10), sample(1000), sample(100));
		assertThat(Spread.ofRatios(samples, reference, Sample::medianNanos)).isEqualTo(new Spread(2, 2, 2));
		assertThat(Spread.ofRatios(samples, reference, Sample::callsPerSecond)).isEqualTo(new Spread(0.5, 0.5, 0.5));
	}

	@Test
	void callersCallAgainAtOnce() {
		assertThat(new Sample(1000, 0, 0, 0, 16).callsPerSecond()).isEqualTo(16_000_000);
	}

	private static Sample sample(double nanos) {
		return new Sample(nanos, nanos, nanos, 0, 1);
	}

}
