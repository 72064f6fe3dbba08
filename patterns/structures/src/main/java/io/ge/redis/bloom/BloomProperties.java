// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bloom;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.invocation.PropertyChecks;
import io.ge.redis.core.structure.Definition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Bloom filters in the environment. All instances must agree.
 *
 * @param enabled whether Bloom filters are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param filters Bloom filters by name
 */
@ConfigurationProperties("ge.redis.bloom")
public record BloomProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Filter> filters) {

	static final String FILTERS = "ge.redis.bloom.filters";

	public BloomProperties {
		Definition.check(FILTERS, filters);
	}

	Filter filter(String name) {
		return Definition.find(this.filters, FILTERS, "Bloom filter", name);
	}

	/**
	 * One Bloom filter.
	 *
	 * @param capacity number of values up to which the error rate holds; with a TTL,
	 * number of values added within half of it
	 * @param errorRate share of values that are found although they were not added,
	 * between 0 and 1
	 * @param ttl longest time for which a value is found after it was added; the shortest
	 * is half of it
	 * @param permanent whether values are found for ever
	 */
	public record Filter(@DefaultValue("100000") long capacity, @DefaultValue("0.01") double errorRate,
			@Nullable Duration ttl, @DefaultValue("false") boolean permanent) implements Definition {

		/** A string of Redis has 512 MB. */
		private static final double MAX_BITS = 1L << 32;

		@Override
		public void validate(String place) {
			PropertyChecks.require(this.capacity >= 1, place + ".capacity", "at least 1", this.capacity);
			PropertyChecks.require(this.errorRate >= 1e-9 && this.errorRate <= 0.5, place + ".error-rate",
					"from 0.000000001 to 0.5", this.errorRate);
			PropertyChecks.require(bits() <= MAX_BITS, place + ".capacity",
					"lower, or " + place + ".error-rate higher: the filter would have " + (long) bits()
							+ " bits, Redis has at most " + (long) MAX_BITS,
					this.capacity);
			PropertyChecks.require(permanent() || timeToLive() >= 2, place + ".ttl", "at least 2ms", this.ttl);
		}

		/** Returns the error rate of a generation, two of which are queried. */
		double generationErrorRate() {
			return permanent() ? this.errorRate : this.errorRate / 2;
		}

		/** Returns how many words a block has, which is how many bits a value sets. */
		int words() {
			return (int) Math.round(-Math.log(generationErrorRate()) / Math.log(2));
		}

		/** Returns how many blocks a generation has. */
		long blocks() {
			return (long) Math.ceil(bits() / (words() * Integer.SIZE));
		}

		/**
		 * Returns how many bits a generation needs. Blocks are not filled evenly, which
		 * takes up to a sixtieth more for each word than bits that are spread over all of
		 * it.
		 */
		private double bits() {
			double spread = -this.capacity * Math.log(generationErrorRate()) / (Math.log(2) * Math.log(2));
			return spread * (1 + words() / 60.0);
		}

	}

}
