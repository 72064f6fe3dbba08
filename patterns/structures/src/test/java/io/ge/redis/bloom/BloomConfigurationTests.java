// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bloom;

import io.ge.redis.bloom.BloomProperties.Filter;
import io.ge.redis.core.structure.Bound;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mistakes in properties are refused, sizes follow from capacity and error rate, and what
 * is switched off finds nothing.
 */
class BloomConfigurationTests {

	private static final String FILTERS = "ge.redis.bloom.filters";

	@Test
	void refusesPropertiesThatCannotWork() {
		refuses(FILTERS + ".x.ttl must be set", "x.capacity", "10");
		refuses(FILTERS + ".x.capacity must be at least 1, was 0", "x.ttl", "1d", "x.capacity", "0");
		refuses(FILTERS + ".x.error-rate must be from", "x.ttl", "1d", "x.error-rate", "1");
		refuses(FILTERS + ".x.error-rate must be from", "x.ttl", "1d", "x.error-rate", "0");
		refuses(FILTERS + ".x.error-rate must be from", "x.ttl", "1d", "x.error-rate", "NaN");
		refuses(FILTERS + ".x.ttl must be at least 2ms", "x.ttl", "1ms");
		refuses(FILTERS + ".x.capacity must be lower", "x.ttl", "1d", "x.capacity", "1000000000");
	}

	private static void refuses(String problem, String... properties) {
		Bound.refuses(problem, BloomProperties.class, FILTERS, properties);
	}

	@Test
	void sizesFollowFromCapacityAndErrorRate() {
		BloomProperties properties = Bound.of(BloomProperties.class, FILTERS, "x.capacity", "1000000", "x.permanent",
				"true", "y.capacity", "1000000", "y.ttl", "1d");
		Filter permanent = properties.filter("x");
		assertThat(permanent.words()).isEqualTo(7);
		assertThat(permanent.blocks()).isEqualTo(47_783);
		// Two generations are asked, so each errs half as often
		Filter rotating = properties.filter("y");
		assertThat(rotating.generationErrorRate()).isEqualTo(0.005);
		assertThat(rotating.words()).isEqualTo(8);
	}

	@Test
	void everyValueIsNewWhereFiltersAreSwitchedOff() {
		BloomFilters filters = BloomFilters.unguarded();
		assertThat(filters.add("any", "a")).isTrue();
		assertThat(filters.mightContain("any", "a")).isFalse();
	}

}
