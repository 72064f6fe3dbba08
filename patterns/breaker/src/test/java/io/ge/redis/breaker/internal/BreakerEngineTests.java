// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.ge.redis.breaker.CircuitState;
import io.ge.redis.core.event.GuardEvents;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BreakerEngine}.
 */
class BreakerEngineTests {

	private static final long NOW = TimeUnit.HOURS.toNanos(1);

	private final BreakerSettings settings = new BreakerSettings("s", 50, 0, null, Duration.ofSeconds(10), 20,
			Duration.ofSeconds(1), Duration.ofSeconds(4), 1, Duration.ofSeconds(1), FailureRule.DEFAULT, false);

	@Test
	void dropsIdleCircuitsFirstAndNoneThatIsOpenOrFails() {
		InstanceBreaker open = reported(40);
		open.replied(open.report(secondsAgo(40)),
				new InstanceBreaker.SharedState(CircuitState.OPEN, 1, 1000, 0, 0, "rate", true), secondsAgo(40));
		InstanceBreaker failing = failed(9);
		List<InstanceBreaker> idle = List.of(reported(20), failed(11));
		List<InstanceBreaker> circuits = new ArrayList<>(idle);
		for (int i = 0; i < BreakerEngine.CAPACITY - 2; i++) {
			circuits.add(reported(1));
		}
		circuits.addAll(List.of(open, failing));
		BreakerEngine.trim(circuits, NOW);
		assertThat(circuits).hasSize(BreakerEngine.CAPACITY).contains(open, failing).doesNotContainAnyElementsOf(idle);
		circuits.addAll(List.of(reported(0), reported(0)));
		BreakerEngine.trim(circuits, NOW);
		assertThat(circuits).hasSize(BreakerEngine.CAPACITY).contains(open, failing);
	}

	@Test
	void keepsMoreIfAllFail() {
		List<InstanceBreaker> circuits = new ArrayList<>();
		for (int i = 0; i < BreakerEngine.CAPACITY + 2; i++) {
			circuits.add(failed(9));
		}
		BreakerEngine.trim(circuits, NOW);
		assertThat(circuits).hasSize(BreakerEngine.CAPACITY + 2);
	}

	private InstanceBreaker reported(int secondsAgo) {
		InstanceBreaker made = new InstanceBreaker(this.settings, null, secondsAgo(60), new GuardEvents(List::of),
				() -> {
				});
		made.report(secondsAgo(secondsAgo));
		return made;
	}

	/** A circuit whose last call has failed, and was reported at once. */
	private InstanceBreaker failed(int secondsAgo) {
		InstanceBreaker made = reported(60);
		InstanceBreaker.Permit permit = made.acquire(secondsAgo(secondsAgo));
		made.end(permit, InstanceBreaker.Outcome.FAILURE, secondsAgo(secondsAgo));
		made.report(secondsAgo(secondsAgo));
		return made;
	}

	private static long secondsAgo(int seconds) {
		return NOW - TimeUnit.SECONDS.toNanos(seconds);
	}

}
