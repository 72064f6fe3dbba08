// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ThreadInterruption}.
 */
class ThreadInterruptionTests {

	private final CompletableFuture<Void> loss = new CompletableFuture<>();

	@AfterEach
	void clear() {
		Thread.interrupted();
	}

	@Test
	void workIsInterruptedWhenTheStageFails() {
		try (ThreadInterruption interruption = ThreadInterruption.by(this.loss)) {
			fail();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}
	}

	@Test
	void workIsInterruptedThatBeginsAfterTheFailure() {
		fail();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		try (ThreadInterruption interruption = ThreadInterruption.by(this.loss)) {
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}
	}

	@Test
	void interruptDoesNotOutliveTheWork() {
		try (ThreadInterruption interruption = ThreadInterruption.by(this.loss)) {
			fail();
		}
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void threadIsNotInterruptedAfterTheWork() {
		try (ThreadInterruption interruption = ThreadInterruption.by(this.loss)) {
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}
		fail();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfAnotherThreadOutlivesTheWork() {
		try (ThreadInterruption interruption = ThreadInterruption.by(this.loss)) {
			Thread.currentThread().interrupt();
		}
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	private void fail() {
		this.loss.completeExceptionally(new IllegalStateException("lost"));
	}

}
