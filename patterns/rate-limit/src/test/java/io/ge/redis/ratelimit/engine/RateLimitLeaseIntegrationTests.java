/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.RedisTarget;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Permits taken in advance.
 */
class RateLimitLeaseIntegrationTests {

	private static final int ENOUGH = 300;

	/** Permits are taken in advance for a second at most. */
	private static final Duration LEASED = Duration.ofMillis(900);

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

		// Scripts and leases are the same everywhere, and these take long

		@Test
		@Sized
		void severalInstancesNeverExceedTheLimit(RedisFixture redis) throws InterruptedException {
			Duration window = Duration.ofMillis(400);
			List<RateLimitAlgorithm> algorithms = List.of(RateLimitAlgorithm.SLIDING_WINDOW,
					RateLimitAlgorithm.SLIDING_WINDOW_COUNTER);
			for (RateLimitAlgorithm algorithm : algorithms.subList(0, Wide.RUN ? 2 : 1)) {
				RateLimit limit = limit("hot", algorithm, 100, 20).withWindow(window);
				List<long[]> admitted = new CopyOnWriteArrayList<>();
				try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
					PermitRequest request = new PermitRequest(limit, List.of("anna"), 1);
					// A busy machine needs longer until there is enough to judge
					long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
					long latest = end + Duration.ofSeconds(20).toNanos();
					List<Thread> threads = new ArrayList<>();
					for (int i = 0; i < 8; i++) {
						TestLimiter limiter = (i % 2 == 0) ? one : two;
						threads.add(new Thread(() -> {
							for (long asked = System.nanoTime(); asked - end < 0
									|| (admitted.size() <= ENOUGH && asked - latest < 0); asked = System.nanoTime()) {
								if (limiter.decide(request).isAllowed()) {
									admitted.add(new long[] { asked, System.nanoTime() });
								}
							}
						}));
					}
					threads.forEach(Thread::start);
					for (Thread thread : threads) {
						thread.join();
					}
				}
				assertThat(mostWithin(admitted, window)).isLessThanOrEqualTo(100);
				assertThat(admitted).hasSizeGreaterThan(ENOUGH);
			}
		}

		@Test
		@Wide
		void unusedPermitsAreGivenBack(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					List<Long> left = new ArrayList<>();
					PermitRequest request = inTime((attempt) -> {
						PermitRequest asked = request("limit-" + attempt, algorithm, 1000, 50);
						left.clear();
						left.add(limiter.decide(asked).quotas().get(0).remaining());
						left.add(limiter.decide(asked).quotas().get(0).remaining());
						return asked;
					});
					assertThat(left.get(0)).as(algorithm.name()).isBetween(949L, 950L);
					assertThat(left.get(1)).isEqualTo(left.get(0) + 48);
					Awaitility.await().until(() -> left(limiter, request) == 998);
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

	/**
	 * Who waits for another call's answer waits no longer than for its own.
	 */
	@Test
	void waitsForAHungRedisNoLongerThanItsBudget() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TestLimiter limiter = TestLimiter
					.on(TestBackend.on(redis.connectionFactory(), "one", Duration.ofMillis(400)))) {
			RateLimit limit = RateLimit.of("limit", 1_000_000, TestLimiter.AGES)
				.withLease(50)
				.withOnOutage(OutagePolicy.ALLOW);
			List<PermitRequest> requests = List.of(new PermitRequest(limit, List.of("anna"), 1));
			redis.primary().pause();
			Stopwatch watch = Stopwatch.start();
			List<CompletableFuture<EngineDecision>> calls = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				calls.add(limiter.engine().decide(requests));
			}
			calls.forEach((call) -> assertThat(Waiting.await(call).orRefuse().isAllowed()).isTrue());
			assertThat(watch.elapsed()).isLessThan(Duration.ofMillis(1400));
			redis.primary().resume();
		}
	}

	abstract static class Contract {

		@Test
		void asksOnceForFiftyCalls(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					List<PermitRequest> requests = List.of(request("first", algorithm, 100_000, 50),
							request("second", algorithm, 200_000, 50));
					// What is left from before would be given back meanwhile
					Waiting.await(limiter.leases().refundAll());
					redis.configResetStat();
					long started = System.nanoTime();
					for (int i = 0; i < 5000; i++) {
						assertThat(limiter.decide(requests).isAllowed()).isTrue();
					}
					assertThat(redis.commandCalls("evalsha")).as(algorithm.name())
						.isLessThanOrEqualTo(100 + forLeasesThatEnded(started));
				}
			}
		}

		@Test
		void callsThatComeTogetherShareOneQuestion(RedisFixture redis) throws InterruptedException {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				List<PermitRequest> requests = List
					.of(request("limit", RateLimitAlgorithm.SLIDING_WINDOW, 1_000_000, 50));
				limiter.decide(requests);
				redis.configResetStat();
				long started = System.nanoTime();
				inParallel(8, 1000, () -> assertThat(limiter.decide(requests).isAllowed()).isTrue());
				assertThat(redis.commandCalls("evalsha")).isLessThanOrEqualTo(8000 / 50 + forLeasesThatEnded(started));
			}
		}

		/**
		 * Calls for permits whose time was over before they were used: they are given
		 * back, and others taken. If only few were used, few are taken next, and then
		 * twice as many each time: six times until there are fifty again.
		 */
		private static long forLeasesThatEnded(long started) {
			return (3 + 6) * ((System.nanoTime() - started) / LEASED.toNanos());
		}

		@Test
		void lastPermitsAreUsedToo(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
					AtomicInteger admitted = new AtomicInteger();
					inTime((attempt) -> {
						PermitRequest request = request("limit-" + attempt, algorithm, 50, 50);
						admitted.set(0);
						while (limiter.decide(request).isAllowed()) {
							admitted.incrementAndGet();
						}
						return request;
					});
					// What a bucket gains during a lease is not given at its beginning
					int fewest = (algorithm == RateLimitAlgorithm.TOKEN_BUCKET) ? 49 : 50;
					assertThat(admitted.get()).as(algorithm.name()).isBetween(fewest, 50);
				}
			}
		}

		/**
		 * Once Redis has forgotten permits that were taken in advance, others have them.
		 */
		@Test
		@Sized
		void permitsAreNotUsedAfterTheirTime(RedisFixture redis) {
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				List<RateLimitAlgorithm> algorithms = Wide.RUN ? List.of(RateLimitAlgorithm.values())
						: List.of(RateLimitAlgorithm.SLIDING_WINDOW);
				for (RateLimitAlgorithm algorithm : algorithms) {
					RateLimit limit = limit("limit", algorithm, 16, 50).withWindow(Duration.ofMillis(400));
					PermitRequest leased = new PermitRequest(limit, List.of("anna"), 1);
					PermitRequest all = new PermitRequest(limit.withLease(1), List.of("anna"), 16);
					one.decide(leased);
					Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> two.decide(all).isAllowed());
					assertThat(source(one, leased)).as(algorithm.name()).isEqualTo(Source.REDIS);
				}
			}
		}

		@Test
		void unusedPermitsAreGivenBackWhenTheInstanceStops(RedisFixture redis) {
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				PermitRequest request = whileTaken(two, (attempt) -> {
					PermitRequest asked = request("limit-" + attempt, RateLimitAlgorithm.SLIDING_WINDOW, 1000, 50);
					one.decide(asked);
					return asked;
				});
				Waiting.await(one.leases().refundAll());
				assertThat(left(two, request)).isEqualTo(999);
			}
		}

		/**
		 * Sees permits that were taken in advance. On a machine so busy that their time
		 * is over before somebody has looked, others are taken.
		 */
		private static PermitRequest whileTaken(TestLimiter other, IntFunction<PermitRequest> taking) {
			for (int attempt = 0;; attempt++) {
				long started = System.nanoTime();
				PermitRequest request = taking.apply(attempt);
				long left = left(other, request);
				if (System.nanoTime() - started < LEASED.toNanos()) {
					assertThat(left).isEqualTo(950);
					return request;
				}
			}
		}

		@Test
		void permitsAreForgottenWhenAnotherInstanceResetsTheKey(RedisFixture redis) {
			try (TestLimiter one = TestLimiter.on(redis, "one"); TestLimiter two = TestLimiter.on(redis, "two")) {
				AtomicReference<Source> source = new AtomicReference<>();
				PermitRequest request = inTime((attempt) -> {
					PermitRequest asked = request("limit-" + attempt, RateLimitAlgorithm.SLIDING_WINDOW, 1000, 50);
					one.decide(asked);
					source.set(source(one, asked));
					return asked;
				});
				assertThat(source.get()).isEqualTo(Source.LEASE);
				Waiting.await(two.engine().reset(List.of(request)));
				awaitNews(redis, one);
				assertThat(source(one, request)).isEqualTo(Source.REDIS);
			}
		}

		/**
		 * Waits until an instance has heard what is known to all servers now: each sends
		 * in order.
		 */
		private static void awaitNews(RedisFixture redis, TestLimiter limiter) {
			List<? extends RedisEndpoint> servers = redis.endpoints()
				.stream()
				.filter(RedisEndpoint::isPrimary)
				.toList();
			CountDownLatch heard = new CountDownLatch(servers.size());
			limiter.bus().handle("test.news", (text) -> heard.countDown());
			servers.forEach((server) -> server.command("PUBLISH", limiter.bus().newsChannel(), "test.news"));
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> heard.getCount() == 0);
		}

		@Test
		void refundOfALeasedPermitGoesBackToTheLease(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				List<Long> left = new ArrayList<>();
				PermitRequest request = inTime((attempt) -> {
					PermitRequest asked = request("limit-" + attempt, RateLimitAlgorithm.SLIDING_WINDOW, 1000, 50);
					left.clear();
					limiter.decide(asked);
					RateLimitDecision leased = limiter.decide(asked);
					left.add(leased.quotas().get(0).remaining());
					limiter.refund(leased);
					left.add(limiter.decide(asked).quotas().get(0).remaining());
					return asked;
				});
				assertThat(left).containsExactly(998L, 998L);
				Awaitility.await().until(() -> left(limiter, request) == 998);
				RateLimitDecision late = limiter.decide(request);
				Awaitility.await().until(() -> left(limiter, request) == 997);
				limiter.refund(late);
				Awaitility.await().until(() -> left(limiter, request) == 998);
			}
		}

		@Test
		void keysThatAreNotHotTakeFewPermitsInAdvance(RedisFixture redis) {
			try (TestLimiter limiter = TestLimiter.on(redis)) {
				RateLimit limit = limit("limit", RateLimitAlgorithm.SLIDING_WINDOW, 1000, 50)
					.withWindow(Duration.ofMillis(500));
				PermitRequest request = new PermitRequest(limit, List.of("anna"), 1);
				assertThat(limiter.decide(request).quotas().get(0).remaining()).isEqualTo(950);
				Awaitility.await().until(() -> left(limiter, request) == 1000);
				// Nothing was used of the first batch
				assertThat(limiter.decide(request).quotas().get(0).remaining()).isEqualTo(999);
			}
		}

	}

	/**
	 * Does something that has to be over before permits that were taken in advance are
	 * given back: once more, with another key, on a machine that was too busy.
	 */
	private static PermitRequest inTime(IntFunction<PermitRequest> attempts) {
		for (int attempt = 0;; attempt++) {
			long started = System.nanoTime();
			PermitRequest request = attempts.apply(attempt);
			if (System.nanoTime() - started < LEASED.toNanos()) {
				return request;
			}
		}
	}

	/**
	 * Counts the calls that lie in one window with their beginning and their end.
	 */
	private static int mostWithin(List<long[]> calls, Duration window) {
		List<long[]> sorted = new ArrayList<>(calls);
		sorted.sort(Comparator.comparingLong((call) -> call[0]));
		int most = 0;
		for (int i = 0; i < sorted.size(); i++) {
			int within = 0;
			for (int j = i; j < sorted.size() && sorted.get(j)[0] - sorted.get(i)[0] < window.toNanos(); j++) {
				if (sorted.get(j)[1] - sorted.get(i)[0] < window.toNanos()) {
					within++;
				}
			}
			most = Math.max(most, within);
		}
		return most;
	}

	private static void inParallel(int threads, int times, Runnable call) throws InterruptedException {
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		List<Thread> started = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Thread thread = new Thread(() -> {
				for (int j = 0; j < times; j++) {
					call.run();
				}
			});
			thread.setUncaughtExceptionHandler((which, failure) -> failures.add(failure));
			thread.start();
			started.add(thread);
		}
		for (Thread thread : started) {
			thread.join();
		}
		assertThat(failures).isEmpty();
	}

	private static RateLimit limit(String name, RateLimitAlgorithm algorithm, long limit, int lease) {
		return RateLimit.of(name + algorithm.name(), limit, TestLimiter.AGES)
			.withAlgorithm(algorithm)
			.withLease(lease)
			.withOnOutage(OutagePolicy.DENY);
	}

	private static PermitRequest request(String name, RateLimitAlgorithm algorithm, long limit, int lease) {
		return new PermitRequest(limit(name, algorithm, limit, lease), List.of("anna"), 1);
	}

	private static long left(TestLimiter limiter, PermitRequest request) {
		return limiter.decide(new PermitRequest(request.limit(), request.key(), 0)).quotas().get(0).remaining();
	}

	private static Source source(TestLimiter limiter, PermitRequest request) {
		return limiter.engineDecision(List.of(request)).events().get(0).source();
	}

}
