// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.ratelimit.RateLimitInterruptedException;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.TestCalls;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that wait for their turn.
 */
class RateLimitWaitIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

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

	/**
	 * A turn that was reserved is kept; whoever comes during the outage waits for a turn
	 * of this instance.
	 */
	@Test
	void waitsWhileRedisIsAway() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestLimiter limiter = TestLimiter
					.on(TestBackend.on(redis.connectionFactory(), "one", Duration.ofSeconds(5)))) {
			RateLimit limit = RateLimit.of("limit", 2, Duration.ofMillis(600)).withWaitTime(Duration.ofSeconds(5));
			PermitRequest request = TestRequests.of(limit, List.of("anna"), 1);
			limiter.decide(request);
			limiter.decide(request);
			CompletableFuture<EngineDecision> reserved = limiter.engine().decide(List.of(request));
			// Replies come in the order of the calls
			limiter.decide(TestRequests.of(limit, List.of("bert"), 1));
			redis.primary().kill();
			assertThat(Waiting.await(reserved).events()).extracting(RateLimitEvent::source)
				.containsExactly(Source.REDIS);
			long asked = System.nanoTime();
			for (int i = 0; i < 6; i++) {
				assertThat(limiter.engineDecision(List.of(request)).events()).extracting(RateLimitEvent::source)
					.containsExactly(Source.LOCAL);
			}
			// Six turns of two in each window: the last two come in the third one
			assertThat(System.nanoTime() - asked).isGreaterThanOrEqualTo(Duration.ofMillis(2 * 600).toNanos());
		}
	}

	abstract static class Contract {

		@Test
		@Sized
		void waitersAreGrantedInTheirOrderByOneCallEach(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				awaitOne(limiter);
				List<RateLimitAlgorithm> algorithms = Wide.RUN ? List.of(RateLimitAlgorithm.values())
						: List.of(RateLimitAlgorithm.SLIDING_WINDOW);
				for (RateLimitAlgorithm algorithm : algorithms) {
					PermitRequest request = request(algorithm, 2, Duration.ofMillis(100), Duration.ofSeconds(20),
							"anna");
					limiter.decide(request);
					redis.configResetStat();
					int waiters = 20;
					List<Integer> granted = new CopyOnWriteArrayList<>();
					List<CompletableFuture<Void>> calls = new ArrayList<>();
					for (int i = 0; i < waiters; i++) {
						int number = i;
						calls.add(limiter.engine().decide(List.of(request)).thenAccept((decision) -> {
							assertThat(decision.orRefuse().isAllowed()).isTrue();
							granted.add(number);
						}));
					}
					calls.forEach(Waiting::await);
					assertThat(granted).as(algorithm.name()).hasSize(waiters);
					// Those of one instant may change places on the way back
					for (int i = 0; i < waiters; i++) {
						assertThat(granted.get(i)).as(algorithm + " " + granted).isBetween(i - 2, i + 2);
					}
					assertThat(redis.commandCalls("evalsha")).isLessThanOrEqualTo(waiters * 11L / 10);
				}
			}
		}

		/**
		 * Loads what waits, which may take longer than the windows of a test.
		 */
		private static void awaitOne(TestLimiter limiter) {
			PermitRequest request = request(RateLimitAlgorithm.SLIDING_WINDOW, 1, Duration.ofMillis(100),
					Duration.ofSeconds(20), "first");
			limiter.decide(request);
			Waiting.await(limiter.engine().decide(List.of(request)));
		}

		@Test
		void waitersOfSeveralInstancesNeverExceedTheLimit(RedisFixture redis) {
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				PermitRequest request = request(RateLimitAlgorithm.SLIDING_WINDOW, 3, Duration.ofMillis(150),
						Duration.ofSeconds(20), "anna");
				List<Long> granted = new CopyOnWriteArrayList<>();
				List<CompletableFuture<Void>> calls = new ArrayList<>();
				long asked = System.nanoTime();
				for (int i = 0; i < 24; i++) {
					calls.add(((i % 2 == 0) ? one : two).engine()
						.decide(List.of(request))
						.thenAccept((decision) -> granted.add(System.nanoTime())));
				}
				calls.forEach(Waiting::await);
				granted.sort(null);
				// 24 calls of 3 per window: the last three come in the eighth one. Clocks
				// of
				// the server and of this JVM are corrected in other ways.
				assertThat(granted.get(23) - asked).isGreaterThan(Duration.ofMillis(7 * 150 - 5).toNanos());
			}
		}

		@Test
		void whoWouldWaitTooLongIsDeniedAtOnceAndByItsMemoryAfterwards(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					PermitRequest request = request(algorithm, 1, TestLimiter.AGES, Duration.ofMillis(50), "anna");
					limiter.decide(request);
					limiter.assertDeniedByRedisAndThenFromMemory(request);
				}
			}
		}

		@Test
		void waitsForTheLastOfSeveralEntities(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				Duration wait = Duration.ofSeconds(10);
				PermitRequest quick = request(RateLimitAlgorithm.SLIDING_WINDOW, 1, Duration.ofMillis(50), wait,
						"anna");
				PermitRequest slow = request(RateLimitAlgorithm.SLIDING_WINDOW, 1, Duration.ofMillis(400), wait,
						"boris");
				long since = System.nanoTime();
				limiter.decide(List.of(quick, slow));
				assertThat(limiter.decide(List.of(quick, slow)).isAllowed()).isTrue();
				// Clocks of the server and of this JVM are corrected in other ways
				assertThat(System.nanoTime() - since).isGreaterThan(Duration.ofMillis(400 - 5).toNanos());
			}
		}

		@Test
		void interruptedWaiterGivesItsTurnBack(RedisFixture redis) throws InterruptedException {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				PermitRequest request = request(RateLimitAlgorithm.SLIDING_WINDOW, 1, Duration.ofMinutes(10),
						Duration.ofMinutes(30), "anna");
				limiter.decide(request);
				DefaultRateLimiter api = new DefaultRateLimiter(new RateLimitRegistry(() -> {
					throw new IllegalStateException("Nobody asks for a name");
				}), limiter.engine(), new MostDenied(), new GuardEvents(List::of), TestCalls.plain());
				AtomicReference<Throwable> failure = new AtomicReference<>();
				AtomicReference<Boolean> interrupted = new AtomicReference<>();
				Thread waiter = new Thread(() -> {
					try {
						api.decide(List.of(request));
					}
					catch (RuntimeException ex) {
						failure.set(ex);
						interrupted.set(Thread.currentThread().isInterrupted());
					}
				});
				waiter.start();
				Awaitility.await().until(() -> reserved(limiter, request) == 2);
				waiter.interrupt();
				waiter.join(10_000);
				assertThat(failure.get()).isInstanceOf(RateLimitInterruptedException.class)
					.hasMessageContaining(request.limit().name());
				assertThat(interrupted.get()).isTrue();
				Awaitility.await().until(() -> reserved(limiter, request) == 1);
			}
		}

		/** Windows that are full or reserved, as the next one in the row would find. */
		private static long reserved(TestLimiter limiter, PermitRequest request) {
			RedisDecision answer = Waiting.await(limiter.redis()
				.decide(List.of(new PermitRequest(request.limit().withWaitTime(Duration.ZERO), request.key(), 1)), 0,
						limiter.redis().newBudget()));
			return Math.round(Duration.ofNanos(answer.waitNanos(0)).toMillis() / 600_000.0);
		}

	}

	private static PermitRequest request(RateLimitAlgorithm algorithm, long limit, Duration window, Duration wait,
			String key) {
		RateLimit settings = RateLimit.of("wait-" + algorithm.name() + window.toMillis(), limit, window)
			.withAlgorithm(algorithm)
			.withWaitTime(wait)
			.withOnOutage(OutagePolicy.DENY);
		return TestRequests.of(settings, List.of(key), 1);
	}

}
