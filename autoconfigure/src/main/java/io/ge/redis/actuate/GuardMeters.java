// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of all patterns, as their events describe them. All series of a name begin
 * at 0 as soon as the name is known: at startup by {@link KnownNames}, else by its first
 * event. A counter that appeared with what it counts would show no increase.
 */
public final class GuardMeters implements GuardListener {

	private final MeterRegistry registry;

	private final List<EventGauge> gauges;

	private final MeterNames names;

	private final Map<EventMeter, Map<String, Meter[]>> meters = new ConcurrentHashMap<>();

	public GuardMeters(MeterRegistry registry, List<EventGauge> gauges, MeterNames names) {
		this.registry = registry;
		this.gauges = gauges;
		this.names = names;
		gauges.stream().filter((gauge) -> gauge.beside() == null).forEach((gauge) -> register(gauge, ""));
	}

	/**
	 * Registers all meters of a name with 0.
	 * @param pattern the pattern as in its events, such as {@code ratelimit}
	 */
	public void begin(String pattern, String name) {
		String value = this.names.of(pattern, name);
		KnownNames.meters(pattern).forEach((meter) -> series(pattern, meter, value));
	}

	@Override
	public void onEvent(GuardEvent event) {
		EventMeter meter = event.meter();
		if (meter != null) {
			record(event, meter, event.series(), event.amount());
		}
		EventMeter second = event.secondMeter();
		if (second != null) {
			record(event, second, 0, 1);
		}
	}

	private void record(GuardEvent event, EventMeter described, int place, long amount) {
		String name = this.names.of(event.pattern(), event.name());
		Meter meter = series(event.pattern(), described, name)[place];
		if (meter instanceof Timer timer) {
			timer.record(amount, TimeUnit.NANOSECONDS);
		}
		else {
			((Counter) meter).increment(amount);
		}
	}

	// The registry gives the same meter to all callers, so two at once do no harm
	private Meter[] series(String pattern, EventMeter described, String name) {
		Map<String, Meter[]> names = this.meters.computeIfAbsent(described, (first) -> new ConcurrentHashMap<>());
		Meter[] series = names.get(name);
		if (series == null) {
			series = IntStream.range(0, described.series())
				.mapToObj((place) -> register(described, name, place))
				.toArray(Meter[]::new);
			names.put(name, series);
			Stream.concat(described.siblings().stream(), KnownNames.meters(pattern).stream())
				.filter((meter) -> Objects.equals(meter.nameTag(), described.nameTag()))
				.forEach((meter) -> series(pattern, meter, name));
			this.gauges.stream()
				.filter((gauge) -> gauge.beside() == described)
				.forEach((gauge) -> register(gauge, name));
		}
		return series;
	}

	private Meter register(EventMeter described, String name, int place) {
		String[] tags = described.tags(name, place);
		return described.isTimer()
				? Timer.builder(described.name())
					.description(described.description())
					.tags(tags)
					.register(this.registry)
				: Counter.builder(described.name())
					.description(described.description())
					.tags(tags)
					.register(this.registry);
	}

	private void register(EventGauge gauge, String name) {
		EventMeter beside = gauge.beside();
		Gauge.Builder<?> builder = Gauge.builder(gauge.name(), () -> gauge.value().applyAsDouble(name))
			.description(gauge.description());
		if (beside != null) {
			builder.tags(beside.nameTags(name).toArray(String[]::new));
		}
		builder.register(this.registry);
	}

}
