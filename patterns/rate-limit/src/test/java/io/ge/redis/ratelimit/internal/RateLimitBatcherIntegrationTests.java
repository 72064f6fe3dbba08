// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitDecision.Denied;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that come at the same time. A server that stands still sees to that.
 */
class RateLimitBatcherIntegrationTests {

	private static final int CALLS = 100;

	private StandaloneRedis redis;

	private TestLimiter limiter;

	@BeforeEach
	void start() {
		this.redis = RedisServers.standalone();
		this.limiter = TestLimiter.on(TestBackend.on(this.redis.connectionFactory(), "one", Duration.ofSeconds(20)));
	}

	@AfterEach
	void stop() {
		this.limiter.close();
		this.redis.close();
	}

	static List<RateLimitAlgorithm> algorithms() {
		return Wide.RUN ? List.of(RateLimitAlgorithm.values()) : List.of(RateLimitAlgorithm.SLIDING_WINDOW);
	}

	@ParameterizedTest
	@MethodSource("algorithms")
	@Sized
	void oneScriptDecidesOnAll(RateLimitAlgorithm algorithm) {
		List<PermitRequest> requests = requests(limit(algorithm, 60), limit(algorithm, 200));
		this.limiter.decide(requests);
		this.redis.configResetStat();
		RedisDecision answer = Waiting
			.await(this.limiter.redis().decide(requests, CALLS - 1, this.limiter.redis().newBudget()));
		assertThat(this.redis.commandCalls("evalsha")).isOne();
		List<RedisDecision> answers = IntStream.range(0, CALLS).mapToObj(answer::ofCall).toList();
		assertThat(answers.subList(0, 59)).allSatisfy((each) -> assertThat(each.isAllowed()).isTrue());
		assertThat(answers.subList(59, CALLS)).allSatisfy((each) -> assertThat(each.isAllowed()).isFalse())
			.allSatisfy((each) -> assertThat(each.waitNanos(0)).isPositive())
			.allSatisfy((each) -> assertThat(each.waitNanos(1)).isZero());
		assertThat(answers.subList(0, 59)).extracting((each) -> each.left(0)).isEqualTo(from(58, 0));
		assertThat(answers.subList(0, 59)).extracting((each) -> each.left(1)).isEqualTo(from(198, 140));
		assertThat(left(requests)).containsExactly(0L, 140L);
	}

	@ParameterizedTest
	@MethodSource("algorithms")
	@Sized
	void areDecidedAsIfAlone(RateLimitAlgorithm algorithm) {
		List<PermitRequest> requests = requests(limit(algorithm, 60), limit(algorithm, 200));
		this.limiter.decide(requests);
		Map<Boolean, List<RateLimitDecision>> decisions = allAtOnce(requests).stream()
			.collect(Collectors.partitioningBy(RateLimitDecision::isAllowed));
		assertThat(decisions.get(false)).hasSize(CALLS - 59)
			.allSatisfy((decision) -> assertThat(decision).isInstanceOfSatisfying(Denied.class,
					(denied) -> assertThat(denied.retryAfter()).isPositive()));
		assertThat(decisions.get(true)).extracting((decision) -> decision.quotas().get(0).remaining())
			.containsExactlyInAnyOrderElementsOf(from(58, 0));
		assertThat(decisions.get(true)).extracting((decision) -> decision.quotas().get(1).remaining())
			.containsExactlyInAnyOrderElementsOf(from(198, 140));
		assertThat(left(requests)).containsExactly(0L, 140L);
	}

	@Test
	void thoseWhoAreRefusedTogetherAreRememberedAsRefused() {
		// Once more where the server took longer than a denial counts without news
		for (int attempt = 0;; attempt++) {
			List<PermitRequest> requests = requests(limit(RateLimitAlgorithm.SLIDING_WINDOW, 60 - attempt));
			long asked = System.nanoTime();
			allAtOnce(requests);
			if (this.limiter.engineDecision(requests).events().get(0).source() == Source.DENY_CACHE) {
				return;
			}
			assertThat(System.nanoTime() - asked).isGreaterThanOrEqualTo(DenyCache.UNCONFIRMED_NANOS);
		}
	}

	@ParameterizedTest
	@MethodSource("algorithms")
	@Sized
	void eachCanBeGivenBack(RateLimitAlgorithm algorithm) {
		List<PermitRequest> requests = requests(limit(algorithm, 1000));
		List<RateLimitDecision> decisions = allAtOnce(requests);
		decisions.subList(10, 40).forEach(this.limiter::refund);
		this.limiter.refund(decisions.get(10));
		Awaitility.await().until(() -> left(requests).get(0) == 1000 - CALLS + 30);
	}

	@Test
	void costsAreTakenWhole() {
		List<PermitRequest> requests = List
			.of(TestRequests.of(limit(RateLimitAlgorithm.TOKEN_BUCKET, 100), List.of("anna"), 7));
		assertThat(allAtOnce(requests).stream().filter(RateLimitDecision::isAllowed)).hasSize(14);
		assertThat(left(requests)).containsExactly(2L);
	}

	@Test
	void waitForAHungRedisNoLongerThanTheirBudget() {
		try (TestLimiter hasty = TestLimiter
			.on(TestBackend.on(this.redis.connectionFactory(), "two", Duration.ofMillis(400)))) {
			List<PermitRequest> requests = requests(
					limit(RateLimitAlgorithm.SLIDING_WINDOW, 1000).withOnOutage(OutagePolicy.ALLOW));
			this.redis.primary().pause();
			Stopwatch watch = Stopwatch.start();
			List<CompletableFuture<EngineDecision>> calls = start(hasty, requests);
			calls.forEach((call) -> assertThat(Waiting.await(call).orRefuse().isAllowed()).isTrue());
			assertThat(watch.elapsed()).isLessThan(Duration.ofMillis(1400));
			this.redis.primary().resume();
		}
	}

	private List<RateLimitDecision> allAtOnce(List<PermitRequest> requests) {
		this.redis.primary().pause();
		List<CompletableFuture<EngineDecision>> calls = start(this.limiter, requests);
		this.redis.primary().resume();
		return calls.stream().map((call) -> Waiting.await(call).orRefuse()).toList();
	}

	private static List<CompletableFuture<EngineDecision>> start(TestLimiter limiter, List<PermitRequest> requests) {
		return IntStream.range(0, CALLS).mapToObj((i) -> limiter.engine().decide(requests)).toList();
	}

	private List<Long> left(List<PermitRequest> requests) {
		List<PermitRequest> looks = new ArrayList<>();
		requests.forEach((request) -> looks.add(new PermitRequest(request.limit(), request.key(), 0)));
		return this.limiter.decide(looks).quotas().stream().map(Quota::remaining).toList();
	}

	private static List<Long> from(long first, long last) {
		return LongStream.rangeClosed(-first, -last).map((number) -> -number).boxed().toList();
	}

	private static RateLimit limit(RateLimitAlgorithm algorithm, long limit) {
		return RateLimit.of("limit" + limit, limit, TestLimiter.AGES)
			.withAlgorithm(algorithm)
			.withOnOutage(OutagePolicy.DENY);
	}

	private static List<PermitRequest> requests(RateLimit... limits) {
		List<PermitRequest> requests = new ArrayList<>();
		for (RateLimit limit : limits) {
			requests.add(TestRequests.of(limit, List.of("anna"), 1));
		}
		return requests;
	}

}
