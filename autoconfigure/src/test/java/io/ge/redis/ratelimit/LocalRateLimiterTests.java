/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LocalRateLimiterTests {

	private final AtomicLong nanos = new AtomicLong();

	private final RateLimit limit = RateLimit.of("limit", 10, Duration.ofSeconds(1));

	@Test
	void enforcesTheShareOfOneInstance() {
		LocalRateLimiter limiter = new LocalRateLimiter(() -> 3, this.nanos::get);
		for (int i = 0; i < 3; i++) {
			assertThat(decide(limiter, "anna").isAllowed()).isTrue();
		}
		assertThat(decide(limiter, "anna")).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
				(denied) -> assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1)));
		assertThat(decide(limiter, "boris").isAllowed()).isTrue();
	}

	@Test
	void leavesAtLeastOne() {
		LocalRateLimiter limiter = new LocalRateLimiter(() -> 100, this.nanos::get);
		assertThat(decide(limiter, "anna").isAllowed()).isTrue();
		assertThat(decide(limiter, "anna").isAllowed()).isFalse();
	}

	@Test
	void admitsAgainAfterTheWindow() {
		LocalRateLimiter limiter = new LocalRateLimiter(() -> 10, this.nanos::get);
		assertThat(decide(limiter, "anna").isAllowed()).isTrue();
		this.nanos.addAndGet(Duration.ofMillis(999).toNanos());
		assertThat(decide(limiter, "anna").isAllowed()).isFalse();
		this.nanos.addAndGet(Duration.ofMillis(1).toNanos());
		assertThat(decide(limiter, "anna").isAllowed()).isTrue();
	}

	@Test
	void tokenBucketAdmitsItsBurstAndThenItsRate() {
		LocalRateLimiter limiter = new LocalRateLimiter(() -> 2, this.nanos::get);
		RateLimit bucket = RateLimit.of("bucket", 20, Duration.ofSeconds(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(4);
		assertThat(admitted(limiter, bucket)).isEqualTo(2);
		assertThat(decide(limiter, demand(bucket))).isInstanceOfSatisfying(RateLimitDecision.Denied.class,
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
		LocalRateLimiter limiter = new LocalRateLimiter(() -> 1, this.nanos::get);
		RateLimit bucket = RateLimit.of("bucket", 1, Duration.ofSeconds(1))
			.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET)
			.withBurst(5);
		assertThat(admitted(limiter, bucket)).isEqualTo(5);
	}

	private static int admitted(LocalRateLimiter limiter, RateLimit limit) {
		int admitted = 0;
		while (decide(limiter, demand(limit)).isAllowed()) {
			admitted++;
		}
		return admitted;
	}

	private static List<Demand> demand(RateLimit limit) {
		return List.of(new Demand(limit, List.of("anna"), 1));
	}

	private RateLimitDecision decide(LocalRateLimiter limiter, String key) {
		return decide(limiter, List.of(new Demand(this.limit, List.of(key), 1)));
	}

	private static RateLimitDecision decide(LocalRateLimiter limiter, List<Demand> demands) {
		return limiter.decide(demands).verdict().orRefuse();
	}

}
