// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent;
import io.ge.redis.breaker.BreakerCallEvent;
import io.ge.redis.breaker.CircuitBreakerEvent;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.broadcast.BroadcastEvent;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.core.event.MeterNames;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockReleaseEvent;
import io.ge.redis.queue.JobEvent;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.stream.StreamEvent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The meters of all patterns, as their events describe them. All series of a name begin
 * at 0 as soon as the name is known: at startup from annotations and properties, else by
 * its first event. A counter that appeared with what it counts would show no increase.
 */
final class GuardMeters implements GuardListener {

	private static final RefreshTokenEvent ROTATED = new RefreshTokenEvent(RefreshTokenEvent.Outcome.ROTATED);

	private static final Map<String, List<EventMeter>> METERS = Map.ofEntries(
			Map.entry("ratelimit", List.of(RateLimitEvent.REQUESTS)),
			meters(new BreakerCallEvent("", "success", 0),
					new CircuitBreakerEvent("", CircuitState.CLOSED, "operator", true)),
			meters(new LockAcquireEvent("", LockAcquireEvent.Outcome.ACQUIRED, Duration.ZERO),
					new LockReleaseEvent("", Duration.ZERO), new LockLostEvent("", 0, LockLostEvent.Cause.EXPIRED)),
			meters(new IdempotencyEvent("", IdempotencyEvent.Outcome.EXECUTED)),
			meters(new CacheEvent.Read("", CacheEvent.Access.HIT, CacheEvent.Tier.NEAR),
					new CacheEvent.Load("", true, 0), new CacheEvent.Write("", CacheEvent.Outcome.PUBLISHED),
					new CacheEvent.Unreadable("")),
			meters(new BlacklistEvent("", BlacklistEvent.Outcome.CLEAR, BlacklistEvent.Source.LOCAL)), meters(ROTATED),
			meters(Stream.of(StreamEvent.Kind.values())
				.map((kind) -> new StreamEvent("", kind, 0))
				.toArray(GuardEvent[]::new)),
			meters(new JobEvent("", "", JobEvent.Outcome.OK, Duration.ZERO),
					new JobEvent("", "", JobEvent.Outcome.DONE, Duration.ZERO)),
			meters(Stream.of(BroadcastEvent.Outcome.values())
				.map((outcome) -> new BroadcastEvent("", outcome, 0))
				.toArray(GuardEvent[]::new)));

	/** The properties whose next part is a name. Streams begin their meters by events. */
	private static final Map<String, String> PROPERTIES = Map.of("ratelimit", "rate-limit.limits", "breaker",
			"breaker.breakers", "lock", "lock.locks", "idempotency", "idempotency.operations", "cache", "cache.caches",
			"blacklist", "blacklist.lists", "queue", "queue.queues", "broadcast", "broadcast.channels");

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
	 * Registers the meters of all names, also of names in beans that are made later.
	 */
	public static void begin(Supplier<GuardMeters> meters, GuardedMethods methods, Environment environment,
			SingletonBeanRegistry beans) {
		methods.onEach((entry) -> meters.get().begin(entry.guard().pattern(), entry.guard().name()));
		PROPERTIES.forEach((pattern, property) -> configured(environment, property)
			.forEach((name) -> meters.get().begin(pattern, name)));
		if (beans.containsSingleton("geRedisRefreshTokens")) {
			meters.get().begin(ROTATED.pattern(), ROTATED.name());
		}
	}

	private static Set<String> configured(Environment environment, String property) {
		String enabled = "ge.redis." + property.substring(0, property.indexOf('.')) + ".enabled";
		return environment.getProperty(enabled, Boolean.class, true) ? Binder.get(environment)
			.bind("ge.redis." + property, Bindable.mapOf(String.class, Object.class))
			.orElseGet(Map::of)
			.keySet() : Set.of();
	}

	private static Map.Entry<String, List<EventMeter>> meters(GuardEvent... examples) {
		return Map.entry(examples[0].pattern(),
				Stream.of(examples).map((event) -> Objects.requireNonNull(event.meter())).distinct().toList());
	}

	private void begin(String pattern, String name) {
		String value = this.names.of(pattern, name);
		METERS.getOrDefault(pattern, List.of()).forEach((meter) -> series(pattern, meter, value));
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
			Stream.concat(described.siblings().stream(), METERS.getOrDefault(pattern, List.of()).stream())
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
