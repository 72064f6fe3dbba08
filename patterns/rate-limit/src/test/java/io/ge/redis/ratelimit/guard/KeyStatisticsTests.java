/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.engine.PermitRequest;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class KeyStatisticsTests {

	private static final RateLimit TASKS = RateLimit.of("tasks", 10, Duration.ofMinutes(1));

	private static final RateLimitDecision ALLOWED = new RateLimitDecision.Allowed(List.of(), () -> 1);

	private static final RateLimitDecision DENIED = new RateLimitDecision.Denied(List.of(), List.of("tasks"),
			Duration.ofSeconds(1));

	private final KeyStatistics statistics = seeded(1);

	@Test
	void estimatesDistinctKeysWithinAFewPercent() {
		for (int number : List.of(1, 10, 100, 1_000, 3_000, 10_000, 100_000, 1_000_000)) {
			KeyStatistics fresh = seeded(number);
			for (int i = 0; i < number; i++) {
				fresh.record(request("user-" + i), ALLOWED);
				fresh.record(request("user-" + i), ALLOWED);
			}
			// Four times the standard error
			assertThat(fresh.distinctKeys("tasks")).as("%d keys", number)
				.isCloseTo((long) number, Percentage.withPercentage(9.2));
		}
	}

	@Test
	void errsByAsMuchWhateverTheSeed() {
		double squares = 0;
		int seeds = 100;
		for (int seed = 0; seed < seeds; seed++) {
			KeyStatistics fresh = seeded(seed);
			for (int i = 0; i < 20_000; i++) {
				fresh.record(request("user-" + i), ALLOWED);
			}
			double error = fresh.distinctKeys("tasks") / 20_000.0 - 1;
			squares += error * error;
		}
		assertThat(Math.sqrt(squares / seeds)).isBetween(0.015, 0.031);
	}

	@Test
	void keysWithTheSameHashCodeAreDistinct() {
		for (int i = 0; i < 1 << 10; i++) {
			StringBuilder key = new StringBuilder();
			for (int bit = 0; bit < 10; bit++) {
				key.append(((i >> bit & 1) == 0) ? "Aa" : "BB");
			}
			assertThat(key.toString()).hasSameHashCodeAs("Aa".repeat(10));
			this.statistics.record(request(key.toString()), ALLOWED);
		}
		assertThat(this.statistics.distinctKeys("tasks")).isCloseTo(1024, Percentage.withPercentage(9.2));
	}

	@Test
	void partsOfKeysDoNotRunTogether() {
		this.statistics.record(List.of(new PermitRequest(TASKS, List.of("a", "bc"), 1)), ALLOWED);
		this.statistics.record(List.of(new PermitRequest(TASKS, List.of("ab", "c"), 1)), ALLOWED);
		assertThat(this.statistics.distinctKeys("tasks")).isEqualTo(2);
	}

	@Test
	void looksAndLimitsForAllCallersAreNotCounted() {
		this.statistics.record(List.of(new PermitRequest(TASKS, List.of("anna"), 0)), ALLOWED);
		this.statistics.record(List.of(new PermitRequest(TASKS, List.of(), 1)), DENIED);
		assertThat(this.statistics.distinctKeys("tasks")).isZero();
		assertThat(this.statistics.mostDenied()).isEmpty();
	}

	@Test
	void forgetsKeysAfterFourSlices() {
		this.statistics.record(request("anna"), ALLOWED);
		for (int i = 0; i < 3; i++) {
			this.statistics.age();
			assertThat(this.statistics.distinctKeys("tasks")).isEqualTo(1);
		}
		this.statistics.age();
		assertThat(this.statistics.distinctKeys("tasks")).isZero();
	}

	@Test
	void listsMostDeniedKeysFirst() {
		denyTimes("anna", 3);
		denyTimes("boris", 5);
		this.statistics.record(request("clara"), ALLOWED);
		assertThat(this.statistics.mostDenied()).extracting(MostDenied.Denied::key, MostDenied.Denied::denials)
			.containsExactly(tuple(List.of("boris"), 5L), tuple(List.of("anna"), 3L));
	}

	@Test
	void onlyTheLimitThatRefusedCounts() {
		RateLimit other = RateLimit.of("other", 10, Duration.ofMinutes(1));
		this.statistics.record(
				List.of(new PermitRequest(other, List.of("anna"), 1), new PermitRequest(TASKS, List.of("anna"), 1)),
				DENIED);
		assertThat(this.statistics.mostDenied()).extracting(MostDenied.Denied::limit).containsExactly("tasks");
	}

	@Test
	void floodOfStrangersDrivesOutNoneThatIsDeniedOften() {
		for (int i = 0; i < 200_000; i++) {
			this.statistics.record(request("stranger-" + i), DENIED);
			if (i % 100 == 0) {
				for (int hammer = 0; hammer < 20; hammer++) {
					denyTimes("hammer-" + hammer, 1);
				}
			}
		}
		List<MostDenied.Denied> list = this.statistics.mostDenied();
		assertThat(list).hasSize(MostDenied.CAPACITY);
		for (int i = 0; i < 20; i++) {
			List<String> hammer = List.of("hammer-" + i);
			assertThat(list).anyMatch((denied) -> denied.key().equals(hammer) && denied.denials() >= 1_000);
		}
	}

	@Test
	void countsFadeAway() {
		denyTimes("anna", 5);
		denyTimes("boris", 1);
		this.statistics.age();
		assertThat(this.statistics.mostDenied()).extracting(MostDenied.Denied::denials).containsExactly(2L);
		denyTimes("boris", 4);
		assertThat(this.statistics.mostDenied()).extracting(MostDenied.Denied::denials).containsExactly(4L, 2L);
	}

	private void denyTimes(String key, int times) {
		for (int i = 0; i < times; i++) {
			this.statistics.record(request(key), DENIED);
		}
	}

	private static KeyStatistics seeded(long seed) {
		return new KeyStatistics(new SplittableRandom(seed));
	}

	private static List<PermitRequest> request(String key) {
		return List.of(new PermitRequest(TASKS, List.of(key), 1));
	}

}
