// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Denials from memory agree with Redis, whoever changes what.
 */
class DenyCacheIntegrationTests {

	private static final int ENOUGH = 200;

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

		// Memory and script are the same everywhere, and random load takes long

		/**
		 * Whatever two instances do with few permits: as long as a denial stands, Redis
		 * itself denies the same call.
		 */
		@Test
		@Wide
		void agreesWithRedisUnderRandomLoad(RedisFixture redis) {
			long seed = System.nanoTime();
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				RandomLoad load = new RandomLoad(List.of(one, two), new Random(seed));
				load.run(4000);
				// On a busy machine more denials have ended before they are asked for
				for (int i = 0; load.cached <= ENOUGH && i < 20; i++) {
					load.run(1000);
				}
				assertThat(load.falseDenials).as("seed " + seed).isEmpty();
				assertThat(load.cached).as("seed " + seed).isGreaterThan(ENOUGH);
			}
		}

		@Test
		@Sized
		void whoWaitsAsToldFromMemoryIsAdmitted(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					for (int cost = 1; cost <= 3; cost++) {
						PermitRequest request = request("cost" + cost, 3, Duration.ofMillis(200), algorithm, cost);
						for (int i = 0; i < (Wide.RUN ? 4 : 1); i++) {
							RateLimitDecision.Denied denied = awaitDenial(limiter, request);
							long until = System.nanoTime() + denied.retryAfter().toNanos();
							Awaitility.await()
								.pollInterval(Duration.ofNanos(100_000))
								.until(() -> System.nanoTime() - until >= 0);
							assertThat(limiter.decide(request).isAllowed()).as("%s after %s", request, denied).isTrue();
						}
					}
				}
			}
		}

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Test
	void isUsedForOneSecondAtMostWhileNewsCannotArrive() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestLimiter limiter = TestLimiter.on(redis)) {
			PermitRequest request = request("anna", 1, TestLimiter.AGES, RateLimitAlgorithm.SLIDING_WINDOW, 1);
			limiter.decide(request);
			AtomicBoolean lost = new AtomicBoolean();
			// After denials were forgotten for that reason
			limiter.bus().onLost(() -> lost.set(true));
			redis.primary().command("ACL", "SETUSER", "default", "resetchannels");
			redis.primary().command("CLIENT", "KILL", "TYPE", "pubsub");
			Awaitility.await().untilTrue(lost);
			Stopwatch watch = Stopwatch.start();
			long denied = limiter.assertDeniedByRedisAndThenFromMemory(request);
			Awaitility.await().until(() -> source(limiter, request) == Source.REDIS);
			assertThat(System.nanoTime() - denied).isGreaterThanOrEqualTo(DenyCache.UNCONFIRMED_NANOS);
			assertThat(watch.elapsed()).isLessThanOrEqualTo(Duration.ofNanos(DenyCache.UNCONFIRMED_NANOS * 3));
		}
	}

	/**
	 * The subscription stands, but nothing comes: no answer is older than a second.
	 */
	@Test
	@Wide
	void isUsedForOneSecondAtMostIfMessagesVanish() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestLimiter limiter = TestLimiter.on(redis)) {
			PermitRequest request = request("anna", 1, TestLimiter.AGES, RateLimitAlgorithm.SLIDING_WINDOW, 1);
			limiter.decide(request);
			assertThat(source(limiter, request)).isEqualTo(Source.REDIS);
			redis.configResetStat();
			AtomicInteger asked = new AtomicInteger();
			Awaitility.await().during(Duration.ofMillis(1500)).until(() -> isDeniedFromMemory(limiter, request, asked));
			assertThat(redis.commandCalls("evalsha")).isEqualTo(asked.get());
			// Whoever publishes is refused, who listens is left alone
			redis.primary().command("ACL", "SETUSER", "default", "-publish");
			Awaitility.await().until(() -> source(limiter, request) == Source.REDIS);
			assertThat(limiter.bus().isSubscribed()).isTrue();
		}
	}

	/**
	 * An instance that hears nothing at all and believes that it does.
	 */
	@Test
	void isBrokenHereByARefundWithoutAnyMessage() {
		try (StandaloneRedis redis = RedisServers.standalone(); TestLimiter other = TestLimiter.on(redis)) {
			DenyCache denied = new DenyCache(System::nanoTime);
			RateLimitEngine deaf = new RateLimitEngine(other.redis(), new LocalRateLimiter(() -> 1, System::nanoTime),
					TestLimiter.unchanged(), denied);
			for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
				RateLimit limit = RateLimit.of(algorithm.name(), 2, TestLimiter.AGES)
					.withAlgorithm(algorithm)
					.withOnOutage(OutagePolicy.DENY);
				PermitRequest request = TestRequests.of(limit, List.of("anna"), 1);
				RateLimitDecision taken = Waiting.await(deaf.decide(List.of(request))).orRefuse();
				assertThat(other.decide(request).isAllowed()).isTrue();
				Waiting.await(deaf.decide(List.of(request)));
				assertThat(Waiting.await(deaf.decide(List.of(request))).events().get(0).source())
					.isEqualTo(Source.DENY_CACHE);
				other.refund(taken);
				Awaitility.await().until(() -> Waiting.await(deaf.decide(List.of(request))).orRefuse().isAllowed());
			}
		}
	}

	abstract static class Contract {

		@Test
		void lastsAsLongAsTheBusIsConfirmed(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				PermitRequest request = request("anna", 1, TestLimiter.AGES, RateLimitAlgorithm.SLIDING_WINDOW, 1);
				limiter.decide(request);
				assertThat(source(limiter, request)).isEqualTo(Source.REDIS);
				redis.configResetStat();
				AtomicInteger asked = new AtomicInteger();
				Awaitility.await()
					.during(Duration.ofSeconds(2))
					.until(() -> isDeniedFromMemory(limiter, request, asked));
				assertThat(redis.commandCalls("evalsha")).isEqualTo(asked.get());
			}
		}

		@Test
		void isBrokenOnOtherInstancesByARefund(RedisFixture redis) {
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					PermitRequest request = request("anna", 1, TestLimiter.AGES, algorithm, 1);
					RateLimitDecision taken = one.decide(request);
					two.assertDeniedByRedisAndThenFromMemory(request);
					one.refund(taken);
					awaitBroken(() -> two.decide(request).isAllowed());
				}
			}
		}

		@Test
		void isBrokenOnOtherInstancesByAReset(RedisFixture redis) {
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					PermitRequest request = request("anna", 1, TestLimiter.AGES, algorithm, 1);
					two.decide(request);
					assertThat(source(two, request)).isEqualTo(Source.REDIS);
					Waiting.await(one.engine().reset(List.of(request)));
					awaitBroken(() -> two.decide(request).isAllowed());
				}
			}
		}

		@Test
		void isBrokenOnOtherInstancesByAChange(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				PermitRequest request = request("anna", 1, TestLimiter.AGES, RateLimitAlgorithm.SLIDING_WINDOW, 1);
				limiter.decide(request);
				limiter.decide(request);
				assertThat(limiter.denied().size()).isPositive();
				redis.endpoints()
					.get(0)
					.command("PUBLISH", limiter.bus().notificationChannel(), LimitChangeFeed.CHANGED);
				awaitBroken(() -> limiter.denied().size() == 0);
			}
		}

		/**
		 * Waits until a denial that holds for an hour does not any more.
		 */
		private static void awaitBroken(Callable<Boolean> condition) {
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(condition);
		}

		static RateLimitDecision.Denied awaitDenial(TestLimiter limiter, PermitRequest request) {
			EngineDecision decision = limiter.engineDecision(List.of(request));
			while (decision.events().get(0).source() != Source.DENY_CACHE) {
				decision = limiter.engineDecision(List.of(request));
			}
			return (RateLimitDecision.Denied) decision.orRefuse();
		}

	}

	/**
	 * Calls, refunds and resets in any order.
	 */
	private static final class RandomLoad {

		private static final int MOST = 4;

		private static final List<Duration> WAITS = List.of(Duration.ZERO, Duration.ofMillis(1));

		private final List<TestLimiter> limiters;

		private final Random random;

		private final List<TakenPermits> taken = new ArrayList<>();

		private final List<String> falseDenials = new ArrayList<>();

		private int cached;

		RandomLoad(List<TestLimiter> limiters, Random random) {
			this.limiters = limiters;
			this.random = random;
		}

		void run(int steps) {
			for (int i = 0; i < steps; i++) {
				TestLimiter limiter = this.limiters.get(this.random.nextInt(this.limiters.size()));
				int what = this.random.nextInt(100);
				if (what < 3 && !this.taken.isEmpty()) {
					TakenPermits one = this.taken.remove(this.random.nextInt(this.taken.size()));
					refund(one);
					awaitNews(one.request);
				}
				else if (what == 3) {
					PermitRequest request = request();
					Waiting.await(limiter.engine().reset(List.of(request)));
					awaitNews(request);
				}
				else {
					call(limiter, request());
				}
			}
		}

		private void call(TestLimiter limiter, PermitRequest request) {
			EngineDecision decision = limiter.engineDecision(List.of(request));
			if (decision.result() instanceof RateLimitDecision.Allowed allowed) {
				this.taken.add(new TakenPermits(limiter, request, allowed));
			}
			else if (decision.events().get(0).source() == Source.DENY_CACHE) {
				RedisDecision answer = Waiting
					.await(limiter.redis().decide(List.of(request), 0, limiter.redis().newBudget()));
				boolean stands = limiter.denied().find(request, System.nanoTime()) != null;
				if (stands) {
					this.cached++;
				}
				if (stands && answer.isAllowed()) {
					this.falseDenials.add(request.toString());
				}
			}
		}

		private void refund(TakenPermits permits) {
			DenyCache denied = permits.limiter.denied();
			RedisLimitKey key = permits.request.key();
			int before = denied.invalidationsOf(key);
			permits.limiter.refund(permits.decision);
			Awaitility.await()
				.pollInterval(Duration.ofNanos(200_000))
				.until(() -> denied.invalidationsOf(key) != before);
		}

		/**
		 * Only what is heard breaks a denial, so each instance must have heard it, or
		 * know of none.
		 */
		private void awaitNews(PermitRequest request) {
			for (TestLimiter limiter : this.limiters) {
				Awaitility.await().pollInterval(Duration.ofNanos(200_000)).until(() -> knowsNoDenial(limiter, request));
			}
		}

		private boolean knowsNoDenial(TestLimiter limiter, PermitRequest request) {
			for (int cost = 1; cost <= MOST; cost++) {
				for (Duration wait : WAITS) {
					PermitRequest like = new PermitRequest(request.limit().withWaitTime(wait), request.key(), cost);
					if (limiter.denied().find(like, System.nanoTime()) != null) {
						return false;
					}
				}
			}
			return true;
		}

		private PermitRequest request() {
			RateLimitAlgorithm algorithm = RateLimitAlgorithm.values()[this.random.nextInt(4)];
			Duration window = Duration.ofMillis(20L << (1 + algorithm.ordinal()));
			Duration wait = WAITS.get(this.random.nextInt(WAITS.size()));
			PermitRequest plain = DenyCacheIntegrationTests.request("user" + this.random.nextInt(3), 6, window,
					algorithm, 1 + this.random.nextInt(MOST));
			return new PermitRequest(plain.limit().withWaitTime(wait), plain.key(), plain.cost());
		}

		private record TakenPermits(TestLimiter limiter, PermitRequest request, RateLimitDecision decision) {
		}

	}

	private static PermitRequest request(String key, long limit, Duration window, RateLimitAlgorithm algorithm,
			long cost) {
		RateLimit settings = RateLimit.of(algorithm.name() + window.toMillis(), limit, window)
			.withAlgorithm(algorithm)
			.withOnOutage(OutagePolicy.DENY);
		return TestRequests.of(settings, List.of(key), cost);
	}

	/**
	 * Redis may be asked once more where this machine was too busy for a confirmation,
	 * and for no other reason.
	 */
	private static boolean isDeniedFromMemory(TestLimiter limiter, PermitRequest request, AtomicInteger asked) {
		long confirmed = limiter.bus().confirmedAt();
		if (source(limiter, request) == Source.DENY_CACHE) {
			return true;
		}
		assertThat(System.nanoTime() - confirmed).isGreaterThanOrEqualTo(DenyCache.UNCONFIRMED_NANOS);
		asked.incrementAndGet();
		return false;
	}

	private static Source source(TestLimiter limiter, PermitRequest request) {
		return limiter.engineDecision(List.of(request)).events().get(0).source();
	}

}
