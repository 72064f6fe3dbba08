// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a rate limit promises on every kind of Redis.
 */
abstract class RateLimitContract {

	private static final RateLimit HOURLY = limit("hourly", 5, Duration.ofHours(1));

	@Test
	void admitsExactlyTheLimitUnderParallelCalls(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			List<CompletableFuture<EngineDecision>> calls = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				calls.add(limiter.engine().decide(List.of(request(HOURLY, "anna"))));
			}
			long admitted = calls.stream().filter((call) -> Waiting.await(call).orRefuse().isAllowed()).count();
			assertThat(admitted).isEqualTo(5);
		}
	}

	@Test
	void decidesInOneScriptCallForAnyNumberOfLimits(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			List<PermitRequest> requests = List.of(request(HOURLY, "anna"),
					request(limit("daily", 50, Duration.ofDays(1)), "anna"), request(bucket(100, 10), "anna"));
			limiter.decide(requests);
			redis.configResetStat();
			assertThat(limiter.decide(requests).quotas()).extracting((quota) -> quota.limit().name())
				.containsExactly("hourly", "daily", "bucket");
			assertThat(redis.commandCalls("evalsha")).isEqualTo(1);
		}
	}

	@Test
	void deniedCallWritesNothing(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			RateLimit one = limit("one", 1, Duration.ofHours(1));
			List<PermitRequest> requests = List.of(request(HOURLY, "anna"), request(bucket(5, 5), "anna"),
					request(one, "anna"));
			assertThat(limiter.decide(requests).isAllowed()).isTrue();
			redis.configResetStat();
			for (int i = 0; i < 10; i++) {
				limiter.denied().clear();
				assertThat(limiter.decide(requests)).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
						(denied) -> assertThat(denied.violated()).containsExactly("one"));
			}
			for (String write : List.of("set", "rpush", "ltrim", "del", "pexpire", "lrem")) {
				assertThat(redis.commandCalls(write)).as(write).isZero();
			}
			assertThat(limiter.decide(List.of(request(HOURLY, "anna"))).quotas().get(0).remaining()).isEqualTo(3);
		}
	}

	@Test
	void deniedAgainAsksNobody(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			for (RateLimit limit : eachKind(5, TestLimiter.AGES)) {
				List<PermitRequest> requests = List.of(request(HOURLY.withLimit(1000), "anna"), request(limit, "anna"));
				admit(limiter, requests, 5);
				long refused = System.nanoTime();
				assertThat(limiter.decide(requests).isAllowed()).as(limit.name()).isFalse();
				redis.configResetStat();
				int again = 0;
				for (int i = 0; i < 100; i++) {
					long asked = System.nanoTime();
					long confirmed = limiter.bus().confirmedAt();
					EngineDecision decision = limiter.engineDecision(requests);
					assertThat(decision.result()).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
							(denied) -> assertThat(denied.violated()).containsExactly(limit.name()));
					if (decision.events().stream().anyMatch((event) -> event.source() != Source.DENY_CACHE)) {
						// This machine stood still, so that news may have been missed
						assertThat(System.nanoTime() - Math.max(refused, confirmed)).as(limit.name())
							.isGreaterThanOrEqualTo(DenyCache.UNCONFIRMED_NANOS);
						refused = asked;
						again++;
					}
				}
				assertThat(redis.commandCalls("evalsha")).as(limit.name()).isEqualTo(again);
			}
		}
	}

	@Test
	void differentEntitiesCostOneCallAndOnAClusterOnePerSlot(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			List<PermitRequest> requests = new ArrayList<>();
			for (String user : List.of("anna", "boris", "clara")) {
				requests.add(request(HOURLY, user));
				requests.add(request(bucket(100, 10), user));
			}
			limiter.decide(requests);
			redis.configResetStat();
			assertThat(limiter.decide(requests).quotas()).hasSize(6);
			assertThat(redis.commandCalls("evalsha")).isBetween(1L, (redis instanceof ClusterRedis) ? 3L : 1L);
		}
	}

	@Test
	void costIsTakenAtOnceOrNotAtAll(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			for (RateLimit limit : eachKind(10, TestLimiter.AGES)) {
				assertThat(limiter.decide(request(limit, "anna", 7)).quotas().get(0).remaining()).as(limit.name())
					.isEqualTo(3);
				assertThat(limiter.decide(request(limit, "anna", 4)).isAllowed()).isFalse();
				assertThat(limiter.decide(request(limit, "anna", 3)).isAllowed()).isTrue();
				assertThat(limiter.decide(request(limit, "anna", 0)).isAllowed()).isTrue();
				assertThat(left(limiter, request(limit, "anna"))).isZero();
				assertThatExceptionOfType(RateLimitCostException.class)
					.isThrownBy(() -> limiter.decide(request(limit, "anna", 11)))
					.withMessageContaining(limit.name())
					.withMessageContaining("11")
					.withMessageContaining("can never pass")
					.withMessageContaining("10");
			}
		}
	}

	@Test
	void refundGivesBackOnce(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			for (RateLimit limit : eachKind(10, TestLimiter.AGES)) {
				limiter.decide(request(limit, "anna", 2));
				RateLimitDecision decision = limiter.decide(request(limit, "anna", 5));
				limiter.refund(decision);
				limiter.refund(decision);
				Awaitility.await()
					.during(Duration.ofMillis(100))
					.untilAsserted(
							() -> assertThat(left(limiter, request(limit, "anna"))).as(limit.name()).isEqualTo(8));
			}
		}
	}

	@Test
	void resetForgetsWhatWasUsed(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			for (RateLimit limit : eachKind(2, TestLimiter.AGES)) {
				admit(limiter, List.of(request(limit, "anna")), 2);
				assertThat(limiter.decide(request(limit, "anna")).isAllowed()).isFalse();
				Waiting.await(limiter.engine().reset(List.of(request(limit, "anna"))));
				assertThat(limiter.decide(request(limit, "anna")).quotas().get(0).remaining()).as(limit.name())
					.isEqualTo(1);
			}
		}
	}

	@Test
	void resetForgetsDifferentEntities(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			List<PermitRequest> requests = List.of(request(HOURLY, "anna"), request(HOURLY, "boris"),
					request(HOURLY, "clara"));
			limiter.decide(requests);
			Waiting.await(limiter.engine().reset(requests));
			assertThat(requests).allSatisfy((request) -> assertThat(left(limiter, request)).isEqualTo(5));
		}
	}

	@Test
	void shadowLimitRefusesNobodyAndTells(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			for (RateLimit limit : eachKind(2, TestLimiter.AGES)) {
				RateLimit shadow = limit.withShadow(true);
				List<PermitRequest> requests = List.of(request(shadow, "anna"),
						request(HOURLY.withLimit(1000), "anna"));
				admit(limiter, requests, 2);
				EngineDecision decision = limiter.engineDecision(requests);
				assertThat(decision.result()).isInstanceOf(RateLimitDecision.Allowed.class);
				assertThat(decision.result().quotas()).extracting((quota) -> quota.limit().name())
					.containsExactly("hourly");
				assertThat(decision.events()).extracting(RateLimitEvent::outcome)
					.containsExactly(Outcome.SHADOW_DENIED, Outcome.ALLOWED);
				assertThat(limiter.decide(request(shadow, "anna", 3)).isAllowed()).as("more than ever passes").isTrue();
			}
		}
	}

	@Test
	void sameNameAndKeyShareOneStateInAnySet(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			limiter.decide(List.of(request(HOURLY, "anna")));
			limiter.decide(List.of(request(bucket(5, 5), "anna"), request(HOURLY, "anna")));
			assertThat(limiter.decide(List.of(request(HOURLY, "anna"))).quotas().get(0).remaining()).isEqualTo(2);
			assertThat(limiter.decide(List.of(request(HOURLY, "boris"))).quotas().get(0).remaining()).isEqualTo(4);
		}
	}

	@Test
	void limitsOfDifferentEntitiesAreAllOrNothing(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			RateLimit tenant = limit("tenant", 1, Duration.ofHours(1));
			PermitRequest all = TestRequests.of(bucket(3, 3), List.of(), 1);
			List<PermitRequest> requests = List.of(request(HOURLY, "anna"), all, request(tenant, "acme"));
			assertThat(limiter.decide(requests).isAllowed()).isTrue();
			assertThat(limiter.decide(requests).isAllowed()).isFalse();
			Awaitility.await().untilAsserted(() -> {
				assertThat(left(limiter, request(HOURLY, "anna"))).isEqualTo(4);
				assertThat(left(limiter, all)).isEqualTo(2);
			});
		}
	}

	@Test
	@Wide
	void loneClientThatWaitsAsToldIsAdmitted(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			RateLimit window = limit("window", 3, Duration.ofMillis(300));
			for (PermitRequest request : List.of(request(window, "anna"), request(bucket(20, 2), "anna"))) {
				for (int i = 0; i < 12; i++) {
					RateLimitDecision decision = limiter.decide(List.of(request));
					if (decision instanceof RateLimitDecision.Denied denied) {
						waitFor(denied.retryAfter());
						assertThat(limiter.decide(List.of(request)).isAllowed()).isTrue();
					}
				}
			}
		}
	}

	@Test
	void statesLeaveRedisWithTheirWindow(RedisFixture redis) {
		try (TestLimiter limiter = TestLimiter.on(redis)) {
			limiter.decide(List.of(request(limit("short", 3, Duration.ofMillis(100)), "anna"),
					request(limit("quick", 10, Duration.ofMillis(100)).withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
						.withBurst(2), "anna")));
			assertThat(redis.keysWithoutTtl()).isEmpty();
			Awaitility.await()
				.until(() -> redis.endpoints()
					.stream()
					.allMatch((node) -> List.of().equals(node.command("KEYS", "ge:ratelimit:*"))));
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

	private static List<RateLimit> eachKind(long limit, Duration window) {
		List<RateLimit> limits = new ArrayList<>();
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			limits.add(limit(algorithm.name(), limit, window).withAlgorithm(algorithm));
		}
		return limits;
	}

	private static void admit(TestLimiter limiter, List<PermitRequest> requests, int times) {
		for (int i = 0; i < times; i++) {
			assertThat(limiter.decide(requests).isAllowed()).isTrue();
		}
	}

	private static long left(TestLimiter limiter, PermitRequest request) {
		return limiter.decide(new PermitRequest(request.limit(), request.key(), 0)).quotas().get(0).remaining();
	}

	private static PermitRequest request(RateLimit limit, String key, long cost) {
		return TestRequests.of(limit, List.of(key), cost);
	}

	private static PermitRequest request(RateLimit limit, String key) {
		return TestRequests.of(limit, List.of(key), 1);
	}

	private static void waitFor(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> System.nanoTime() - end >= 0);
	}

}
