// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.WriteBehindEvent;
import io.ge.redis.core.event.EventGauge;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.event.MeterNames;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockReleaseEvent;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitChangeEvent;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GuardMeters}.
 */
@ExtendWith(OutputCaptureExtension.class)
class GuardMetersTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void countsReadsLoadsWritesAndUnreadableValues() {
		GuardMeters meters = new GuardMeters(this.registry, List.of(), new MeterNames());
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.HIT, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.HIT, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.HIT, CacheEvent.Tier.NEAR));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.MISS, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Read("c", CacheEvent.Access.STALE, CacheEvent.Tier.REDIS));
		meters.onEvent(new CacheEvent.Load("c", true, 2_000_000));
		meters.onEvent(new CacheEvent.Load("c", false, 1));
		meters.onEvent(new CacheEvent.Write("c", CacheEvent.Outcome.PUBLISHED));
		meters.onEvent(new CacheEvent.Unreadable("c"));
		assertThat(this.registry.get("ge.redis.cache.gets")
			.tags("cache", "c", "result", "hit", "tier", "redis")
			.counter()
			.count()).isEqualTo(2);
		assertThat(this.registry.get("ge.redis.cache.gets").tags("result", "hit", "tier", "near").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.gets").tags("result", "miss", "tier", "redis").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.gets").tags("result", "stale", "tier", "redis").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.loads")
			.tags("cache", "c", "outcome", "success")
			.timer()
			.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(2);
		assertThat(this.registry.get("ge.redis.cache.loads").tags("outcome", "error").timer().count()).isEqualTo(1);
		assertThat(
				this.registry.get("ge.redis.cache.writes").tags("cache", "c", "outcome", "published").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("ge.redis.cache.unreadable").tags("cache", "c").counter().count()).isEqualTo(1);
	}

	@Test
	void metersOfOneKindBeginTogetherAtZero() {
		GuardMeters meters = new GuardMeters(this.registry,
				List.of(new EventGauge("pending", "Waiting", WriteBehindEvent.WRITTEN, String::length)),
				new MeterNames());
		meters.onEvent(new WriteBehindEvent("books", WriteBehindEvent.Outcome.STARTED, 0));
		meters.onEvent(new WriteBehindEvent("books", WriteBehindEvent.Outcome.RETRIED, 3));
		assertThat(this.registry.get("ge.redis.cache.behind.written").tags("cache", "books").counter().count())
			.isZero();
		assertThat(this.registry.get("ge.redis.cache.behind.dead").tags("cache", "books").counter().count()).isZero();
		assertThat(this.registry.get("ge.redis.cache.behind.retried").counter().count()).isEqualTo(3);
		assertThat(this.registry.get("pending").tags("cache", "books").gauge().value()).isEqualTo(5);
	}

	@Test
	void firstEventOfANameBeginsAllItsMeters() {
		new GuardMeters(this.registry, List.of(), new MeterNames())
			.onEvent(new LockAcquireEvent("orders", LockAcquireEvent.Outcome.ACQUIRED, Duration.ofMillis(3)));
		assertThat(
				this.registry.get("ge.redis.lock.acquire").tags("lock", "orders", "outcome", "error").timer().count())
			.isZero();
		assertThat(this.registry.get("ge.redis.lock.lost").tags("lock", "orders").counter().count()).isZero();
	}

	@Test
	void figureWithoutNameIsThereFromTheStart() {
		new GuardMeters(this.registry, List.of(new EventGauge("waiters", "Waiting", null, (all) -> 7)),
				new MeterNames());
		assertThat(this.registry.get("waiters").gauge().value()).isEqualTo(7);
	}

	@Test
	void callsNearTheirLimitAreCountedTwice() {
		RateLimit limit = RateLimit.of("api", 10, Duration.ofMinutes(1));
		GuardMeters meters = new GuardMeters(this.registry, List.of(), new MeterNames());
		meters.onEvent(allowed(limit, 5));
		assertThat(nearLimit()).isZero();
		meters.onEvent(allowed(limit, 1));
		assertThat(nearLimit()).isEqualTo(1);
		assertThat(this.registry.get("ge.redis.ratelimit.requests")
			.tags("limit", "api", "outcome", "allowed", "source", "deny_cache")
			.counter()
			.count()).isEqualTo(2);
	}

	@Test
	void namesThatAreMadeAtRunTimeShareOneValue(CapturedOutput output) {
		GuardMeters meters = new GuardMeters(this.registry, List.of(), new MeterNames());
		RateLimit limit = RateLimit.of("api", 10, Duration.ofMinutes(1));
		meters.onEvent(allowed(limit, 5));
		for (int i = 0; i < 3 * MeterNames.MOST; i++) {
			meters.onEvent(new LockAcquireEvent("order-" + i, LockAcquireEvent.Outcome.ACQUIRED, Duration.ZERO));
			meters.onEvent(new LockReleaseEvent("order-" + i, Duration.ZERO));
		}
		meters.onEvent(new LockReleaseEvent("order-7", Duration.ZERO));
		assertThat(this.registry.find("ge.redis.lock.hold").timers()).hasSize(MeterNames.MOST + 1);
		assertThat(this.registry.find("ge.redis.lock.acquire").tag("outcome", "acquired").timers())
			.hasSize(MeterNames.MOST + 1);
		assertThat(this.registry.get("ge.redis.lock.hold").tags("lock", "other").timer().count())
			.isEqualTo(2 * MeterNames.MOST);
		assertThat(this.registry.get("ge.redis.lock.hold").tags("lock", "order-7").timer().count()).isEqualTo(2);
		assertThat(this.registry.get("ge.redis.ratelimit.requests").tags("limit", "api").counters()).isNotEmpty();
		assertThat(output.toString()).containsOnlyOnce("The pattern lock has more than 1000 names")
			.contains("such as 'order-1000'", "distinguish entities by keys");
	}

	private static RateLimitEvent allowed(RateLimit limit, long remaining) {
		return new RateLimitEvent(limit.name(), RateLimitEvent.Outcome.ALLOWED, RateLimitEvent.Source.DENY_CACHE,
				new Quota(limit, remaining, Duration.ZERO));
	}

	private double nearLimit() {
		return this.registry.get("ge.redis.ratelimit.near_limit").tags("limit", "api").counter().count();
	}

	@Test
	void actionsOfOperatorsAreNoDecisions() {
		GuardFigures figures = new GuardFigures();
		figures.onEvent(allowed(RateLimit.of("api", 10, Duration.ofMinutes(1)), 5));
		figures.onEvent(new RateLimitChangeEvent("api", RateLimitChangeEvent.Action.CHANGED, null, "limit=5"));
		assertThat(figures.of("ratelimit", "api")).isEqualTo(Map.of("allowed", 1L));
	}

	@Test
	void durationsAreTimed() {
		new GuardMeters(this.registry, List.of(), new MeterNames())
			.onEvent(new LockAcquireEvent("orders", LockAcquireEvent.Outcome.NOT_ACQUIRED, Duration.ofMillis(3)));
		assertThat(this.registry.get("ge.redis.lock.acquire")
			.tags("lock", "orders", "outcome", "not_acquired")
			.timer()
			.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(3);
	}

}
