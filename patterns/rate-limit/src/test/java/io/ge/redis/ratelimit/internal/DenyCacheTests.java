// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DenyCacheTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimit LIMIT = RateLimit.of("limit", 10, Duration.ofMinutes(1));

	private static final RateLimit BUCKET = LIMIT.withAlgorithm(RateLimitAlgorithm.TOKEN_BUCKET);

	private final long start = System.nanoTime();

	private final AtomicLong confirmedAt = new AtomicLong(this.start - 3600 * SECOND);

	private final DenyCache cache = new DenyCache(this.confirmedAt::get);

	@Test
	void holdsUntilRedisCouldSayYesLessTheDriftOfClocks() {
		deny(request(LIMIT, 1), 10 * SECOND);
		this.confirmedAt.set(this.start + 10 * SECOND);
		assertThat(isDenied(request(LIMIT, 1), 10 * SECOND - SECOND / 100)).isTrue();
		assertThat(isDenied(request(LIMIT, 1), 10 * SECOND - SECOND / 200)).isFalse();
	}

	@Test
	void tellsTheLatestTimeAtWhichRedisCouldSayYes() {
		deny(request(LIMIT, 1), 10 * SECOND);
		Denial denial = this.cache.find(request(LIMIT, 1), this.start + SECOND / 2);
		assertThat(denial).isNotNull();
		// Received a second after it was sent
		assertThat(denial.waitNanos(request(LIMIT, 1), this.start + SECOND / 2)).isEqualTo(10 * SECOND + SECOND / 2);
	}

	@Test
	void holdsForOneSecondWithoutConfirmation() {
		deny(request(LIMIT, 1), 10 * SECOND);
		assertThat(isDenied(request(LIMIT, 1), SECOND - 1)).isTrue();
		assertThat(isDenied(request(LIMIT, 1), SECOND)).isFalse();
		this.confirmedAt.set(this.start + 5 * SECOND);
		assertThat(isDenied(request(LIMIT, 1), 6 * SECOND - 1)).isTrue();
		assertThat(isDenied(request(LIMIT, 1), 6 * SECOND)).isFalse();
	}

	@Test
	void holdsForTheSameSettingsOnly() {
		deny(request(LIMIT, 1), 10 * SECOND);
		assertThat(isDenied(request(LIMIT.withLimit(10), 1), 0)).isTrue();
		assertThat(isDenied(request(LIMIT.withLimit(11), 1), 0)).isFalse();
		assertThat(isDenied(request(LIMIT.withWindow(Duration.ofSeconds(1)), 1), 0)).isFalse();
		assertThat(isDenied(request(LIMIT.withWaitTime(Duration.ofSeconds(1)), 1), 0)).isFalse();
	}

	@Test
	void holdsForTheSameCostOnly() {
		deny(request(LIMIT, 5), 10 * SECOND);
		assertThat(isDenied(request(LIMIT, 5), 0)).isTrue();
		assertThat(isDenied(request(LIMIT, 4), 0)).isFalse();
		assertThat(isDenied(request(LIMIT, 6), 0)).isFalse();
		deny(request(LIMIT, 4), 8 * SECOND);
		assertThat(isDenied(request(LIMIT, 4), 0)).isTrue();
		assertThat(isDenied(request(LIMIT, 5), 0)).isTrue();
	}

	@Test
	void holdsForEachCostOfABucket() {
		// A permit every six seconds
		deny(request(BUCKET, 5), 10 * SECOND);
		assertThat(isDenied(request(BUCKET, 4), 0)).isTrue();
		assertThat(isDenied(request(BUCKET, 3), 0)).isFalse();
		this.confirmedAt.set(this.start + 15 * SECOND);
		assertThat(isDenied(request(BUCKET, 6), 15 * SECOND)).isTrue();
		assertThat(isDenied(request(BUCKET, 6), 16 * SECOND)).isFalse();
	}

	@Test
	void isForgottenByNewsOfItsKey() {
		deny(request(LIMIT, 1), 10 * SECOND);
		this.cache.forget(request(BUCKET, 1).key().text());
		assertThat(isDenied(request(LIMIT, 1), 0)).isTrue();
		this.cache.forget(request(LIMIT, 1).key().text());
		assertThat(isDenied(request(LIMIT, 1), 0)).isFalse();
		deny(request(LIMIT, 1), 10 * SECOND);
		this.cache.clear();
		assertThat(isDenied(request(LIMIT, 1), 0)).isFalse();
		assertThat(this.cache.size()).isZero();
	}

	@Test
	void isNotEnteredIfThereWasNewsMeanwhile() {
		PermitRequest request = request(LIMIT, 1);
		int before = this.cache.invalidationsOf(request.key());
		this.cache.forget(request.key().text());
		this.cache.add(denial(request, 10 * SECOND), before);
		assertThat(isDenied(request, 0)).isFalse();
		before = this.cache.invalidationsOf(request.key());
		this.cache.clear();
		this.cache.add(denial(request, 10 * SECOND), before);
		assertThat(isDenied(request, 0)).isFalse();
	}

	@Test
	void isBoundedAndKeepsNearlyAllBelowHalfOfThat() {
		int half = DenyCache.CAPACITY / 2;
		for (int i = 0; i < half; i++) {
			deny(TestRequests.of(LIMIT, List.of("user" + i), 1), 10 * SECOND);
		}
		assertThat(this.cache.size()).isGreaterThan(half * 9 / 10);
		for (int i = 0; i < 10 * DenyCache.CAPACITY; i++) {
			deny(TestRequests.of(LIMIT, List.of("other" + i), 1), 10 * SECOND);
		}
		assertThat(this.cache.size()).isLessThanOrEqualTo(DenyCache.CAPACITY);
	}

	@Test
	void isInUseForSomeSecondsAfterADenial() {
		assertThat(this.cache.isInUse()).isFalse();
		deny(request(LIMIT, 1), 10 * SECOND);
		assertThat(this.cache.isInUse()).isTrue();
	}

	private static PermitRequest request(RateLimit limit, long cost) {
		return TestRequests.of(limit, List.of("anna"), cost);
	}

	private boolean isDenied(PermitRequest request, long after) {
		return this.cache.find(request, this.start + after) != null;
	}

	private void deny(PermitRequest request, long wait) {
		this.cache.add(denial(request, wait), this.cache.invalidationsOf(request.key()));
	}

	private Denial denial(PermitRequest request, long wait) {
		long[] reply = { 0, 1, 1, 0, 0, wait / 1000, wait / 1000, 0 };
		RedisDecision answer = new RedisDecision(List.of(request), reply, this.start, this.start + SECOND);
		return new Denial(answer, 0);
	}

}
