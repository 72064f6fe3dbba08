// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Deadlines}.
 */
class DeadlinesTests {

	private final Deadlines deadlines = new Deadlines();

	@Test
	void endsWhatIsLateAndNeverBeforeItsTime() {
		long nanos = Duration.ofMillis(50).toNanos();
		CompletableFuture<String> late = new CompletableFuture<>();
		long started = System.nanoTime();
		this.deadlines.watch(late, nanos);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(TimeoutException.class)
			.withMessageContaining("No answer within 50 ms");
		assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(nanos);
	}

	@Test
	void forgetsWhatIsDone() {
		CompletableFuture<String> done = new CompletableFuture<>();
		this.deadlines.watch(done, Duration.ofHours(1).toNanos());
		assertThat(this.deadlines.size()).isOne();
		done.complete("in time");
		Awaitility.await().until(() -> this.deadlines.size() == 0);
		assertThat(done).isCompletedWithValue("in time");
	}

	@Test
	void doesNotEvenLookAtWhatWasDoneBefore() {
		this.deadlines.watch(CompletableFuture.completedFuture("done"), 1);
		assertThat(this.deadlines.size()).isZero();
	}

	@Test
	void looksAgainAfterAPause() {
		for (int i = 0; i < 3; i++) {
			CompletableFuture<String> late = new CompletableFuture<>();
			this.deadlines.watch(late, 1);
			Awaitility.await().until(late::isCompletedExceptionally);
			Awaitility.await().until(() -> this.deadlines.size() == 0);
		}
	}

	@Test
	void aFutureThatIsWatchedWhileAnotherIsEndedIsEndedToo() {
		CompletableFuture<String> second = new CompletableFuture<>();
		CompletableFuture<String> first = new CompletableFuture<>();
		first.whenComplete((value, failure) -> this.deadlines.watch(second, 1));
		this.deadlines.watch(first, 1);
		Awaitility.await().until(second::isCompletedExceptionally);
	}

	@Test
	void endsAllOfMany() {
		List<CompletableFuture<String>> all = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			CompletableFuture<String> late = new CompletableFuture<>();
			all.add(late);
			this.deadlines.watch(late, TimeUnit.MICROSECONDS.toNanos(i % 100));
		}
		assertThat(all).allSatisfy((late) -> assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> late.get(10, TimeUnit.SECONDS)));
	}

}
