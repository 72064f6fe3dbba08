/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.OutagePolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An interrupt and an answer that meet.
 */
class InterruptedWaiterTests {

	private static final Acquisition ANSWER = new Acquisition.Refused(null);

	private final LockSettings settings = new LockSettings("orders", Duration.ofSeconds(1), Duration.ofSeconds(30),
			true, OutagePolicy.DENY, null, Duration.ZERO, OnLost.VETO_COMMIT, 0, Duration.ofMillis(50),
			LockMode.EXCLUSIVE, 1);

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void answerThatCameBeforeTheInterruptTookEffectIsNotDropped() {
		CompletableFuture<Acquisition> attempt = new Attempt(true);
		assertThat(DefaultDistributedLocks.awaitInterruptibly(this.settings, attempt)).isSameAs(ANSWER);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void attemptWithoutAnswerIsCancelled() {
		CompletableFuture<Acquisition> attempt = new Attempt(false);
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> DefaultDistributedLocks.awaitInterruptibly(this.settings, attempt));
		assertThat(attempt).isCancelled();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	/**
	 * Is interrupted in its first wait, just before or just after it is complete.
	 */
	private static final class Attempt extends CompletableFuture<Acquisition> {

		private final boolean answered;

		private boolean interrupted;

		Attempt(boolean answered) {
			this.answered = answered;
		}

		@Override
		public Acquisition get() throws InterruptedException {
			if (!this.interrupted) {
				this.interrupted = true;
				if (this.answered) {
					complete(ANSWER);
				}
				throw new InterruptedException();
			}
			return join();
		}

	}

}
