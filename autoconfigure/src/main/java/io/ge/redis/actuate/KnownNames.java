// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.blacklist.BlacklistEvent;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent;
import io.ge.redis.breaker.BreakerCallEvent;
import io.ge.redis.breaker.CircuitBreakerEvent;
import io.ge.redis.breaker.CircuitState;
import io.ge.redis.broadcast.BroadcastEvent;
import io.ge.redis.cache.CacheEvent;
import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockReleaseEvent;
import io.ge.redis.queue.JobEvent;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.stream.StreamEvent;

import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Begins the meters of each name that is known at startup, from an annotation or from the
 * properties of a pattern.
 */
public final class KnownNames {

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

	/**
	 * The properties whose next part is a name. Streams begin their meters themselves.
	 */
	private static final Map<String, String> PROPERTIES = Map.of("ratelimit", "rate-limit.limits", "breaker",
			"breaker.breakers", "lock", "lock.locks", "idempotency", "idempotency.operations", "cache", "cache.caches",
			"blacklist", "blacklist.lists", "queue", "queue.queues", "broadcast", "broadcast.channels");

	private KnownNames() {
	}

	private static Map.Entry<String, List<EventMeter>> meters(GuardEvent... examples) {
		return Map.entry(examples[0].pattern(),
				Stream.of(examples).map((event) -> Objects.requireNonNull(event.meter())).distinct().toList());
	}

	/**
	 * Returns the meters of a pattern that begin together.
	 * @param pattern the pattern as in its events, such as {@code ratelimit}
	 */
	static List<EventMeter> meters(String pattern) {
		return METERS.getOrDefault(pattern, List.of());
	}

	/**
	 * Begins the meters of all names, also of those in beans that are made later.
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

}
