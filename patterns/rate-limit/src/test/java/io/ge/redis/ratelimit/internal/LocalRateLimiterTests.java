// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class LocalRateLimiterTests {

	private final AtomicLong nanos = new AtomicLong();

	private final RateLimit limit = RateLimit.of("limit", 10, Duration.ofSeconds(1));

	private LocalRateLimiter limiter(int instances) {
		return new LocalRateLimiter(() -> instances, this.nanos::get);
	}

	@Test
	void enforcesTheShareOfOneInstance() {
		LocalRateLimiter limiter = limiter(3);
		for (int i = 0; i < 3; i++) {
			assertThat(decide(limiter, "anna").isAllowed()).isTrue();
		}
		assertThat(decide(limiter, "anna")).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
				(denied) -> assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1)));
		assertThat(decide(limiter, "boris").isAllowed()).isTrue();
	}

	@Test
	void leavesAtLeastOne() {
		LocalRateLimiter limiter = limiter(100);
		assertThat(decide(limiter, "anna").isAllowed()).isTrue();
		assertThat(decide(limiter, "anna").isAllowed()).isFalse();
	}

	@Test
	void admitsAgainAfterTheWindow() {
		LocalRateLimiter limiter = limiter(10);
		assertThat(decide(limiter, "anna").isAllowed()).isTrue();
		this.nanos.addAndGet(Duration.ofMillis(999).toNanos());
		assertThat(decide(limiter, "anna").isAllowed()).isFalse();
		this.nanos.addAndGet(Duration.ofMillis(1).toNanos());
		assertThat(decide(limiter, "anna").isAllowed()).isTrue();
	}

	@Test
	void tokenBucketAdmitsItsBurstAndThenItsRate() {
		LocalRateLimiter limiter = limiter(2);
		RateLimit bucket = RateLimit.of("bucket", 20, Duration.ofSeconds(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(4);
		assertThat(admitted(limiter, bucket)).isEqualTo(2);
		assertThat(decide(limiter, request(bucket))).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
				(denied) -> assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(100)));
		this.nanos.addAndGet(Duration.ofMillis(99).toNanos());
		assertThat(admitted(limiter, bucket)).isZero();
		this.nanos.addAndGet(Duration.ofMillis(1).toNanos());
		assertThat(admitted(limiter, bucket)).isEqualTo(1);
		this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
		assertThat(admitted(limiter, bucket)).isEqualTo(2);
	}

	@Test
	void burstAboveTheLimitIsAdmittedAtOnce() {
		LocalRateLimiter limiter = limiter(1);
		RateLimit bucket = RateLimit.of("bucket", 1, Duration.ofSeconds(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(5);
		assertThat(admitted(limiter, bucket)).isEqualTo(5);
	}

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void neverAdmitsMoreThanTheLimitInAnyWindow(RateLimitAlgorithm algorithm) {
		LocalRateLimiter limiter = limiter(1);
		RateLimit settings = this.limit.withAlgorithm(algorithm).withWaitTime(Duration.ofMillis(200));
		Random random = new Random(algorithm.ordinal());
		List<long[]> admitted = new ArrayList<>();
		List<TakenDecision> taken = new ArrayList<>();
		for (int i = 0; i < 5000; i++) {
			this.nanos.addAndGet(random.nextInt(100_000_000));
			if (random.nextInt(20) == 0 && !taken.isEmpty()) {
				TakenDecision last = taken.remove(taken.size() - 1);
				last.decision.refund();
				admitted.remove(last.use);
			}
			long cost = 1 + random.nextInt(4);
			EngineDecision decision = limiter.decide(List.of(TestRequests.of(settings, List.of("anna"), cost)));
			if (decision.orRefuse().isAllowed()) {
				assertThat(decision.waitNanos()).isLessThanOrEqualTo(settings.waitTime().toNanos());
				long[] use = { this.nanos.get() + decision.waitNanos(), cost };
				admitted.add(use);
				taken.add(new TakenDecision(decision, use));
			}
		}
		assertThat(admitted).hasSizeGreaterThan(500);
		assertThat(mostInAWindow(algorithm, settings, admitted)).isLessThanOrEqualTo(bound(algorithm));
	}

	/** A bucket gives its burst and its rate, a fixed window has two edges. */
	private long bound(RateLimitAlgorithm algorithm) {
		return switch (algorithm) {
			case SLIDING_WINDOW, SLIDING_WINDOW_COUNTER, FIXED_WINDOW -> this.limit.limit();
			case TOKEN_BUCKET -> 2 * this.limit.limit();
		};
	}

	private static long mostInAWindow(RateLimitAlgorithm algorithm, RateLimit limit, List<long[]> uses) {
		long window = limit.window().toNanos();
		long most = 0;
		for (long[] first : uses) {
			long from = (algorithm == RateLimitAlgorithm.FIXED_WINDOW) ? first[0] / window * window : first[0];
			long sum = 0;
			for (long[] use : uses) {
				sum += (use[0] >= from && use[0] < from + window) ? use[1] : 0;
			}
			most = Math.max(most, sum);
		}
		return most;
	}

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void whoWaitsAsToldIsAdmitted(RateLimitAlgorithm algorithm) {
		LocalRateLimiter limiter = limiter(1);
		RateLimit settings = this.limit.withAlgorithm(algorithm);
		Random random = new Random(algorithm.ordinal());
		int denials = 0;
		for (int i = 0; i < 2000; i++) {
			this.nanos.addAndGet(random.nextInt(50_000_000));
			List<PermitRequest> requests = List.of(TestRequests.of(settings, List.of("anna"), 1 + random.nextInt(6)));
			if (decide(limiter, requests) instanceof RateLimitDecision.Denied denied) {
				denials++;
				long wait = denied.retryAfter().toNanos();
				if (algorithm != RateLimitAlgorithm.SLIDING_WINDOW_COUNTER) {
					this.nanos.addAndGet(wait - 1);
					assertThat(decide(limiter, requests).isAllowed()).isFalse();
					wait = 1;
				}
				this.nanos.addAndGet(wait);
				assertThat(decide(limiter, requests).isAllowed()).isTrue();
			}
		}
		assertThat(denials).isPositive();
	}

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void takesCostAtOnceOrNotAtAllAndGivesItBackOnce(RateLimitAlgorithm algorithm) {
		LocalRateLimiter limiter = limiter(1);
		RateLimit settings = this.limit.withAlgorithm(algorithm);
		RateLimitDecision.Allowed taken = (RateLimitDecision.Allowed) decide(limiter, request(settings, 7));
		assertThat(taken.quotas().get(0).remaining()).isEqualTo(3);
		assertThat(decide(limiter, request(settings, 4)).isAllowed()).isFalse();
		assertThat(decide(limiter, request(settings, 0)).quotas().get(0).remaining()).isEqualTo(3);
		((TakenPermits) taken.permits()).refund();
		((TakenPermits) taken.permits()).refund();
		assertThat(decide(limiter, request(settings, 0)).quotas().get(0).remaining()).isEqualTo(10);
	}

	@ParameterizedTest
	@CsvSource({ "10, 1, 1, 1", "10, 7, 1, 7", "10, 1, 99, 1", "10, 1, 150, 1", "10, 3, 150, 3", "4000, 1, 1, 1",
			"4000, 3, 1, 3", "4000, 2, 150, 2" })
	void refundOfABucketGivesBackFractionsLessTheTimeSinceTheCharge(long burst, long cost, long elapsed, long left) {
		LocalRateLimiter limiter = limiter(1);
		RateLimit bucket = this.limit.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET).withBurst(burst);
		decide(limiter, request(bucket, burst - cost));
		EngineDecision refunded = limiter.decide(request(bucket, cost));
		this.nanos.addAndGet(Duration.ofMillis(elapsed).toNanos());
		refunded.refund();
		assertThat(decide(limiter, request(bucket, 0)).quotas().get(0).remaining()).isEqualTo(left);
	}

	@ParameterizedTest
	@EnumSource(RateLimitAlgorithm.class)
	void letsCallsWaitForTheirTurn(RateLimitAlgorithm algorithm) {
		LocalRateLimiter limiter = limiter(1);
		RateLimit settings = this.limit.withAlgorithm(algorithm).withWaitTime(Duration.ofMillis(1200));
		assertThat(limiter.decide(request(settings, 10)).waitNanos()).isZero();
		EngineDecision first = limiter.decide(request(settings, 5));
		EngineDecision second = limiter.decide(request(settings, 5));
		assertThat(first.waitNanos()).isPositive();
		assertThat(second.waitNanos()).isGreaterThanOrEqualTo(first.waitNanos());
		assertThat(limiter.decide(request(settings, 10)).orRefuse().isAllowed()).isFalse();
		second.refund();
		assertThat(limiter.decide(request(settings, 5)).waitNanos()).isEqualTo(second.waitNanos());
	}

	@Test
	void shadowRefusesNobodyAndTells() {
		LocalRateLimiter limiter = limiter(10);
		List<PermitRequest> requests = request(this.limit.withShadow(true), 1);
		assertThat(limiter.decide(requests).events()).extracting(RateLimitEvent::outcome)
			.containsExactly(RateLimitEvent.Outcome.ALLOWED);
		EngineDecision decision = limiter.decide(requests);
		assertThat(decision.orRefuse().isAllowed()).isTrue();
		assertThat(decision.orRefuse().quotas()).isEmpty();
		assertThat(decision.events()).extracting(RateLimitEvent::outcome)
			.containsExactly(RateLimitEvent.Outcome.SHADOW_DENIED);
	}

	@Test
	void chargesNoLimitIfOneRefuses() {
		LocalRateLimiter limiter = limiter(1);
		RateLimit one = RateLimit.of("one", 1, Duration.ofSeconds(1));
		List<PermitRequest> both = List.of(request(this.limit, 1).get(0), request(one, 1).get(0));
		assertThat(decide(limiter, both).isAllowed()).isTrue();
		assertThat(decide(limiter, both)).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
				(denied) -> assertThat(denied.violated()).containsExactly("one"));
		assertThat(decide(limiter, request(this.limit, 0)).quotas().get(0).remaining()).isEqualTo(9);
	}

	private static List<PermitRequest> request(RateLimit limit, long cost) {
		return List.of(TestRequests.of(limit, List.of("anna"), cost));
	}

	private record TakenDecision(EngineDecision decision, long[] use) {
	}

	private static int admitted(LocalRateLimiter limiter, RateLimit limit) {
		int admitted = 0;
		while (decide(limiter, request(limit)).isAllowed()) {
			admitted++;
		}
		return admitted;
	}

	private static List<PermitRequest> request(RateLimit limit) {
		return List.of(TestRequests.of(limit, List.of("anna"), 1));
	}

	private RateLimitDecision decide(LocalRateLimiter limiter, String key) {
		return decide(limiter, List.of(TestRequests.of(this.limit, List.of(key), 1)));
	}

	private static RateLimitDecision decide(LocalRateLimiter limiter, List<PermitRequest> requests) {
		return limiter.decide(requests).orRefuse();
	}

}
