// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of circuit breakers.
 *
 * @param enabled whether to guard methods by circuit breakers
 * @param connectionFactory bean name of the connection factory, if there are several
 * @param breakers breakers by name
 */
@ConfigurationProperties("ge.redis.breaker")
public record BreakerProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Breaker> breakers) {

	public BreakerProperties {
		PropertyChecks.each("ge.redis.breaker.breakers", breakers, Breaker::validate);
	}

	/**
	 * One breaker. What is not set is taken from the annotation.
	 *
	 * @param failureRate share of failures that opens the circuit, in percent
	 * @param slowCallRate share of slow calls that opens the circuit, in percent
	 * @param slowAfter duration from which on a call is slow
	 * @param window span over which calls are counted, besides the last second
	 * @param minimumCalls calls in a span below which the circuit stays closed
	 * @param openFor time that the circuit stays open before the first probe
	 * @param maxOpenFor longest time to the next probe, however often probes have failed
	 * @param probes number of probes over all instances that must succeed
	 * @param probeLease time after which the probe of an instance that has died is given
	 * to another
	 * @param shadow whether to let calls proceed although the circuit is open
	 */
	public record Breaker(@Nullable Integer failureRate, @Nullable Integer slowCallRate, @Nullable Duration slowAfter,
			@Nullable Duration window, @Nullable Integer minimumCalls, @Nullable Duration openFor,
			@Nullable Duration maxOpenFor, @Nullable Integer probes, @Nullable Duration probeLease,
			@Nullable Boolean shadow) {

		private void validate(String place) {
			percent(place + ".failure-rate", this.failureRate);
			percent(place + ".slow-call-rate", this.slowCallRate);
			PropertyChecks.atLeastMillis(place + ".slow-after", 1, this.slowAfter);
			PropertyChecks.atLeastMillis(place + ".window", 1000, this.window);
			PropertyChecks.atLeast(place + ".minimum-calls", 3, this.minimumCalls);
			PropertyChecks.atLeastMillis(place + ".open-for", 1, this.openFor);
			PropertyChecks.atLeastMillis(place + ".max-open-for", 1, this.maxOpenFor);
			PropertyChecks.atLeast(place + ".probes", 1, this.probes);
			PropertyChecks.atLeastMillis(place + ".probe-lease", 1, this.probeLease);
		}

		private static void percent(String property, @Nullable Integer value) {
			PropertyChecks.require(value == null || (value >= 1 && value <= 100), property, "between 1 and 100 percent",
					value);
		}

	}

}
