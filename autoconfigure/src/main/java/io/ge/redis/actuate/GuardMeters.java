// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of all patterns, as their events describe them.
 */
public final class GuardMeters implements GuardListener {

	private final MeterRegistry registry;

	private final List<EventGauge> gauges;

	private final MeterNames names;

	private final Map<EventMeter, Map<String, AtomicReferenceArray<@Nullable Meter>>> meters = new ConcurrentHashMap<>();

	public GuardMeters(MeterRegistry registry, List<EventGauge> gauges, MeterNames names) {
		this.registry = registry;
		this.gauges = gauges;
		this.names = names;
		gauges.stream().filter((gauge) -> gauge.beside() == null).forEach((gauge) -> register(gauge, ""));
	}

	@Override
	public void onEvent(GuardEvent event) {
		EventMeter meter = event.meter();
		if (meter != null) {
			record(meter, this.names.of(event.pattern(), event.name()), event.series(), event.amount());
		}
		EventMeter second = event.secondMeter();
		if (second != null) {
			record(second, this.names.of(event.pattern(), event.name()), 0, 1);
		}
	}

	private void record(EventMeter described, String name, int place, long amount) {
		AtomicReferenceArray<@Nullable Meter> series = series(described, name);
		Meter meter = series.get(place);
		if (meter == null) {
			// The registry returns the same meter to all callers, so two at once do no
			// harm
			meter = register(described, name, place);
			series.set(place, meter);
		}
		if (meter instanceof Timer timer) {
			timer.record(amount, TimeUnit.NANOSECONDS);
		}
		else {
			((Counter) meter).increment(amount);
		}
	}

	private AtomicReferenceArray<@Nullable Meter> series(EventMeter described, String name) {
		Map<String, AtomicReferenceArray<@Nullable Meter>> names = this.meters.computeIfAbsent(described,
				(first) -> new ConcurrentHashMap<>());
		AtomicReferenceArray<@Nullable Meter> series = names.get(name);
		if (series == null) {
			series = new AtomicReferenceArray<>(described.series());
			names.put(name, series);
			described.siblings().forEach((sibling) -> record(sibling, name, 0, 0));
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
