// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;

import io.ge.redis.core.consume.ConsumerContainer;
import io.ge.redis.core.consume.Consumers;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of consumers of this instance: {@code ge.redis.consumer.poll.age} in
 * seconds, {@code ge.redis.consumer.permits.available} and
 * {@code ge.redis.consumer.in.flight}, each by source.
 */
class ConsumerMeters {

	private static final String SOURCE = "source";

	private static final double MILLIS = 1000.0;

	private final MeterRegistry registry;

	public ConsumerMeters(MeterRegistry registry, Consumers consumers) {
		this.registry = registry;
		consumers.forEach(this::register);
	}

	private void register(ConsumerContainer<?> container) {
		Gauge.builder("ge.redis.consumer.poll.age", () -> seconds(container.report().sinceTaken()))
			.description("Seconds since the last answer of the source")
			.tag(SOURCE, container.name())
			.register(this.registry);
		Gauge.builder("ge.redis.consumer.permits.available", () -> container.report().available())
			.description("Calls of the listener that could begin now")
			.tag(SOURCE, container.name())
			.register(this.registry);
		Gauge.builder("ge.redis.consumer.in.flight", () -> container.report().inFlight())
			.description("Messages that are being processed or wait for their settlement")
			.tag(SOURCE, container.name())
			.register(this.registry);
	}

	private static double seconds(@Nullable Duration since) {
		return (since != null) ? since.toMillis() / MILLIS : Double.NaN;
	}

}
