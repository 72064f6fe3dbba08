// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.time.Duration;
import java.util.List;
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
		breakers.keySet().forEach((name) -> PropertyChecks.requireName("ge.redis.breaker.breakers." + name, name));
	}

	/**
	 * One breaker. Settings that are not set come from the annotation.
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
	 * @param record classes of the exceptions that are failures, or none for all but the
	 * ignored
	 * @param ignore classes of exceptions that do not count at all
	 * @param shadow whether to let calls proceed although the circuit is open
	 */
	public record Breaker(@Nullable Integer failureRate, @Nullable Integer slowCallRate, @Nullable Duration slowAfter,
			@Nullable Duration window, @Nullable Integer minimumCalls, @Nullable Duration openFor,
			@Nullable Duration maxOpenFor, @Nullable Integer probes, @Nullable Duration probeLease,
			@Nullable List<Class<? extends Throwable>> record, @Nullable List<Class<? extends Throwable>> ignore,
			@Nullable Boolean shadow) {
	}

}
