// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of the time that each of several calls has.
 */
class RateLimitBatcherBudgetIntegrationTests {

	private final List<PermitRequest> requests = List
		.of(TestRequests.of(RateLimit.of("limit", 1000, Duration.ofHours(1)), List.of("anna"), 1));

	private StandaloneRedis redis;

	private TestLimiter limiter;

	private RedisRateLimiter redisLimiter;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.limiter = TestLimiter.on(TestBackend.on(this.redis.connectionFactory(), "one", Duration.ofSeconds(20)));
		this.redisLimiter = this.limiter.redis();
		assertThat(this.redisLimiter.decide(this.requests, budget(20_000)).join().isAllowed()).isTrue();
	}

	@AfterEach
	void stop() {
		this.limiter.close();
		this.redis.close();
	}

	@Test
	void spentBudgetOfTheFirstDoesNotFailOthersThatHaveTimeLeft() {
		this.redis.primary().pause();
		List<CompletableFuture<RedisDecision>> underWay = ask(RedisRateLimiter.MOST_IN_FLIGHT, 20_000);
		long since = System.nanoTime();
		CompletableFuture<RedisDecision> first = this.redisLimiter.decide(this.requests, budget(50));
		Awaitility.await().until(() -> System.nanoTime() - since > Duration.ofMillis(60).toNanos());
		List<CompletableFuture<RedisDecision>> others = ask(10, 20_000);
		this.redis.primary().resume();
		assertThat(underWay).allSatisfy((call) -> assertThat(call.join().isAllowed()).isTrue());
		Awaitility.await().until(first::isDone);
		assertThat(others).allSatisfy((call) -> assertThat(call).succeedsWithin(Duration.ofSeconds(5)));
	}

	@Test
	void callThatWaitsForOthersEndsWithItsBudget() {
		this.redis.primary().pause();
		ask(RedisRateLimiter.MOST_IN_FLIGHT, 20_000);
		CompletableFuture<RedisDecision> first = this.redisLimiter.decide(this.requests, budget(50));
		try {
			Stopwatch.within(Duration.ofSeconds(2), first::isDone);
		}
		finally {
			this.redis.primary().resume();
		}
	}

	@Test
	void eachBudgetPaysForTheSharedScript() {
		this.redis.primary().pause();
		ask(RedisRateLimiter.MOST_IN_FLIGHT, 300);
		CompletableFuture<RedisDecision> first = this.redisLimiter.decide(this.requests, budget(20_000));
		CallBudget own = budget(600);
		CompletableFuture<RedisDecision> second = this.redisLimiter.decide(this.requests, own);
		// Sent together to a server that stands still
		try {
			Stopwatch.within(Duration.ofSeconds(2), second::isDone);
		}
		finally {
			this.redis.primary().resume();
			Awaitility.await().until(first::isDone);
		}
	}

	/**
	 * A busy machine may stand still for less than half the time of a call, both before
	 * the later ones are asked and before they are answered.
	 */
	@Test
	@Wide
	void outageOfEarlierCallsDoesNotFailLaterOnes() {
		Duration half = Duration.ofSeconds(3);
		try (TestLimiter hasty = TestLimiter
			.on(TestBackend.on(this.redis.connectionFactory(), "two", half.multipliedBy(2)))) {
			hasty.decide(this.requests);
			this.redis.primary().pause();
			List<CompletableFuture<EngineDecision>> early = decide(hasty, RedisRateLimiter.MOST_IN_FLIGHT + 1);
			long since = System.nanoTime();
			Awaitility.await().until(() -> System.nanoTime() - since > half.toNanos());
			List<CompletableFuture<EngineDecision>> late = decide(hasty, 20);
			Awaitility.await().until(() -> early.stream().allMatch(CompletableFuture::isDone));
			this.redis.primary().resume();
			assertThat(late).allSatisfy((call) -> assertThat(call.join().events()).extracting(RateLimitEvent::source)
				.as("with half of its time left")
				.containsExactly(RateLimitEvent.Source.REDIS));
		}
	}

	private List<CompletableFuture<EngineDecision>> decide(TestLimiter limiter, int times) {
		List<CompletableFuture<EngineDecision>> calls = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			calls.add(limiter.engine().decide(this.requests));
		}
		return calls;
	}

	private List<CompletableFuture<RedisDecision>> ask(int times, long millis) {
		List<CompletableFuture<RedisDecision>> calls = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			calls.add(this.redisLimiter.decide(this.requests, budget(millis)));
		}
		return calls;
	}

	private static CallBudget budget(long millis) {
		return CallBudget.of(Duration.ofMillis(millis));
	}

}
