// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.event.GuardEvents;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InstanceBreaker}.
 */
class InstanceBreakerTests {

	private static final int ROUNDS = 200_000;

	private final InstanceBreaker breaker = new InstanceBreaker(
			new BreakerSettings("s", 50, 0, null, Duration.ofSeconds(10), 20, Duration.ofSeconds(1),
					Duration.ofSeconds(4), 1, Duration.ofSeconds(1), FailureRule.DEFAULT, false),
			null, 0, new GuardEvents(List::of), () -> {
			});

	@Test
	void urgentReportIsNotPutOffByAnotherCallAtTheSameTime() throws Exception {
		AtomicInteger begun = new AtomicInteger();
		AtomicInteger ended = new AtomicInteger();
		CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
			for (int round = 1; round <= ROUNDS; round++) {
				await(begun, round);
				this.breaker.reportWithin(TimeUnit.SECONDS.toNanos(1));
				ended.set(round);
			}
		});
		int lost = 0;
		for (int round = 1; round <= ROUNDS; round++) {
			this.breaker.report(0);
			begun.set(round);
			// Sooner or later than the other thread in turn
			for (int i = round % 10; i > 0; i--) {
				Thread.onSpinWait();
			}
			this.breaker.reportWithin(0);
			await(ended, round);
			lost += this.breaker.isDue(0) ? 0 : 1;
		}
		assertThat(other).succeedsWithin(Duration.ofSeconds(10));
		assertThat(lost).isZero();
	}

	private static void await(AtomicInteger reached, int round) {
		for (int i = 0; reached.get() < round; i++) {
			if (i > 10_000) {
				Thread.yield();
			}
		}
	}

}
