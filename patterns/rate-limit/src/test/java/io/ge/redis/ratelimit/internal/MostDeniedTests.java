// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitDecision;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class MostDeniedTests {

	private static final RateLimit TASKS = RateLimit.of("tasks", 10, Duration.ofMinutes(1));

	private static final RateLimitDecision.Denied DENIED = new RateLimitDecision.Denied(List.of(), List.of("tasks"),
			Duration.ofSeconds(1));

	private final MostDenied denied = new MostDenied();

	@Test
	void looksAndLimitsForAllCallersAreNotCounted() {
		this.denied.add(List.of(TestRequests.of(TASKS, List.of("anna"), 0)), DENIED);
		this.denied.add(List.of(TestRequests.of(TASKS, List.of(), 1)), DENIED);
		assertThat(this.denied.list()).isEmpty();
	}

	@Test
	void listsMostDeniedKeysFirst() {
		denyTimes("anna", 3);
		denyTimes("boris", 5);
		assertThat(this.denied.list()).extracting(MostDenied.Denied::key, MostDenied.Denied::denials)
			.containsExactly(tuple(List.of("boris"), 5L), tuple(List.of("anna"), 3L));
	}

	@Test
	void onlyTheLimitThatRefusedCounts() {
		RateLimit other = RateLimit.of("other", 10, Duration.ofMinutes(1));
		this.denied.add(List.of(TestRequests.of(other, List.of("anna"), 1), TestRequests.of(TASKS, List.of("anna"), 1)),
				DENIED);
		assertThat(this.denied.list()).extracting(MostDenied.Denied::limit).containsExactly("tasks");
	}

	@Test
	void floodOfStrangersDrivesOutNoneThatIsDeniedOften() {
		for (int i = 0; i < 200_000; i++) {
			this.denied.add(request("stranger-" + i), DENIED);
			if (i % 100 == 0) {
				for (int hammer = 0; hammer < 20; hammer++) {
					denyTimes("hammer-" + hammer, 1);
				}
			}
		}
		List<MostDenied.Denied> list = this.denied.list();
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
		this.denied.age();
		assertThat(this.denied.list()).extracting(MostDenied.Denied::denials).containsExactly(2L);
		denyTimes("boris", 4);
		assertThat(this.denied.list()).extracting(MostDenied.Denied::denials).containsExactly(4L, 2L);
	}

	private void denyTimes(String key, int times) {
		for (int i = 0; i < times; i++) {
			this.denied.add(request(key), DENIED);
		}
	}

	private static List<PermitRequest> request(String key) {
		return List.of(TestRequests.of(TASKS, List.of(key), 1));
	}

}
