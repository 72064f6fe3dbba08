// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PollTests {

	private final List<CompletableFuture<Void>> readings = new ArrayList<>();

	private final AtomicInteger periods = new AtomicInteger();

	private final Poll poll = new Poll(this::reading, Duration.ofMillis(1), this.periods::incrementAndGet);

	private CompletableFuture<Void> reading() {
		CompletableFuture<Void> reading = new CompletableFuture<>();
		this.readings.add(reading);
		return reading;
	}

	@Test
	void thoseWhoAskDuringAReadingShareTheNextOne() {
		CompletableFuture<Void> first = this.poll.read();
		List<CompletableFuture<Void>> later = List.of(this.poll.read(), this.poll.read());
		assertThat(this.readings).hasSize(1);
		this.readings.get(0).complete(null);
		assertThat(first).isCompleted();
		assertThat(later).noneMatch(CompletableFuture::isDone);
		assertThat(this.readings).hasSize(2);
		this.readings.get(1).completeExceptionally(new IllegalStateException("test"));
		assertThat(later).allMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(this.readings).hasSize(2);
	}

	@Test
	void readingThatCannotBeginIsFollowedByOthers() {
		Poll failing = new Poll(() -> {
			throw new IllegalStateException("test");
		}, Duration.ofMillis(1), this.periods::incrementAndGet);
		assertThat(failing.read()).isCompletedExceptionally();
		assertThat(failing.read()).isCompletedExceptionally();
	}

	@Test
	void periodicActionRunsFromStartToStop() {
		assertThat(this.poll.start()).isTrue();
		assertThat(this.poll.start()).isFalse();
		Awaitility.await().until(() -> this.periods.get() > 2);
		this.poll.stop();
		assertThat(this.poll.isStarted()).isFalse();
		assertThat(this.poll.start()).isTrue();
		int before = this.periods.get();
		Awaitility.await().until(() -> this.periods.get() > before + 2);
		this.poll.stop();
	}

}
