/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a rate limit promises on every kind of Redis.
 */
abstract class RateLimitContract {

	private static final RateLimit HOURLY = limit("hourly", 5, Duration.ofHours(1));

	@Test
	void admitsExactlyTheLimitUnderParallelCalls(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			RateLimitEngine engine = engine(backend);
			List<CompletableFuture<Verdict>> calls = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				calls.add(engine.decide(List.of(demand(HOURLY, "anna"))).toCompletableFuture());
			}
			long admitted = calls.stream().filter((call) -> Waiting.await(call).orRefuse().isAllowed()).count();
			assertThat(admitted).isEqualTo(5);
		}
	}

	@Test
	void decidesInOneScriptCallForAnyNumberOfLimits(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			List<Demand> demands = List.of(demand(HOURLY, "anna"),
					demand(limit("daily", 50, Duration.ofDays(1)), "anna"), demand(bucket(100, 10), "anna"));
			decide(backend, demands);
			redis.configResetStat();
			assertThat(decide(backend, demands).quotas()).extracting((quota) -> quota.limit().name())
				.containsExactly("hourly", "daily", "bucket");
			assertThat(redis.commandCalls("evalsha")).isEqualTo(1);
		}
	}

	@Test
	void deniedCallWritesNothing(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			RateLimit one = limit("one", 1, Duration.ofHours(1));
			List<Demand> demands = List.of(demand(HOURLY, "anna"), demand(bucket(5, 5), "anna"), demand(one, "anna"));
			assertThat(decide(backend, demands).isAllowed()).isTrue();
			redis.configResetStat();
			for (int i = 0; i < 10; i++) {
				assertThat(decide(backend, demands)).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
						(denied) -> assertThat(denied.violated()).containsExactly("one"));
			}
			for (String write : List.of("set", "rpush", "ltrim", "del", "pexpire", "lrem")) {
				assertThat(redis.commandCalls(write)).as(write).isZero();
			}
			assertThat(decide(backend, List.of(demand(HOURLY, "anna"))).quotas().get(0).remaining()).isEqualTo(3);
		}
	}

	@Test
	void sameNameAndKeyShareOneStateInAnySet(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			decide(backend, List.of(demand(HOURLY, "anna")));
			decide(backend, List.of(demand(bucket(5, 5), "anna"), demand(HOURLY, "anna")));
			assertThat(decide(backend, List.of(demand(HOURLY, "anna"))).quotas().get(0).remaining()).isEqualTo(2);
			assertThat(decide(backend, List.of(demand(HOURLY, "boris"))).quotas().get(0).remaining()).isEqualTo(4);
		}
	}

	@Test
	void limitsOfDifferentEntitiesAreAllOrNothing(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			RateLimit tenant = limit("tenant", 1, Duration.ofHours(1));
			Demand all = Demand.ofAll(bucket(3, 3), 1);
			List<Demand> demands = List.of(demand(HOURLY, "anna"), all, demand(tenant, "acme"));
			assertThat(decide(backend, demands).isAllowed()).isTrue();
			assertThat(decide(backend, demands).isAllowed()).isFalse();
			Awaitility.await().untilAsserted(() -> assertThat(redis.commandCalls("lrem")).isPositive());
			assertThat(decide(backend, List.of(demand(HOURLY, "anna"))).quotas().get(0).remaining()).isEqualTo(3);
			assertThat(decide(backend, List.of(all)).quotas().get(0).remaining()).isEqualTo(1);
		}
	}

	@Test
	void loneClientThatWaitsAsToldIsAdmitted(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			RateLimit window = limit("window", 3, Duration.ofMillis(300));
			for (Demand demand : List.of(demand(window, "anna"), demand(bucket(20, 2), "anna"))) {
				for (int i = 0; i < 12; i++) {
					RateLimitDecision decision = decide(backend, List.of(demand));
					if (decision instanceof RateLimitDecision.Denied denied) {
						waitFor(denied.retryAfter());
						assertThat(decide(backend, List.of(demand)).isAllowed()).isTrue();
					}
				}
			}
		}
	}

	@Test
	void statesLeaveRedisWithTheirWindow(RedisFixture redis) {
		try (TestBackend backend = TestBackend.on(redis)) {
			decide(backend,
					List.of(demand(limit("short", 3, Duration.ofMillis(100)), "anna"),
							demand(limit("quick", 10, Duration.ofMillis(100))
								.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
								.withBurst(2), "anna")));
			assertThat(redis.keysWithoutTtl()).isEmpty();
			Awaitility.await()
				.until(() -> redis.endpoints()
					.stream()
					.allMatch((node) -> Long.valueOf(0).equals(node.command("DBSIZE"))));
		}
	}

	/** An outage must not look like a decision. */
	private static RateLimit limit(String name, long limit, Duration window) {
		return RateLimit.of(name, limit, window).withOnOutage(OutagePolicy.DENY);
	}

	private static RateLimit bucket(long perHour, long burst) {
		return limit("bucket", perHour, perHour == 20 ? Duration.ofSeconds(1) : Duration.ofHours(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(burst);
	}

	private static Demand demand(RateLimit limit, String key) {
		return new Demand(limit, List.of(key), 1);
	}

	private static RateLimitDecision decide(TestBackend backend, List<Demand> demands) {
		return Waiting.await(engine(backend).decide(demands)).orRefuse();
	}

	private static RateLimitEngine engine(TestBackend backend) {
		return new RateLimitEngine(
				new RedisRateLimiter(backend.get().redis("ratelimit"), backend.get().keys("ratelimit")),
				new LocalRateLimiter(() -> 1, System::nanoTime));
	}

	private static void waitFor(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> System.nanoTime() - end >= 0);
	}

}
