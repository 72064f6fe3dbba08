// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Waiting}: an interrupt and an answer that meet.
 */
class WaitingTests {

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void answerThatCameBeforeTheInterruptTookEffectIsNotDropped() {
		assertThat(Waiting.awaitInterruptibly(new Attempt(true), IllegalStateException::new)).isEqualTo("answer");
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void attemptWithoutAnswerIsCancelled() {
		CompletableFuture<String> attempt = new Attempt(false);
		assertThatIllegalStateException()
			.isThrownBy(() -> Waiting.awaitInterruptibly(attempt, IllegalStateException::new))
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(attempt).isCancelled();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	/**
	 * Is interrupted in its first wait, just before or just after it is complete.
	 */
	private static final class Attempt extends CompletableFuture<String> {

		private final boolean answered;

		private boolean interrupted;

		Attempt(boolean answered) {
			this.answered = answered;
		}

		@Override
		public String get() throws InterruptedException {
			if (!this.interrupted) {
				this.interrupted = true;
				if (this.answered) {
					complete("answer");
				}
				throw new InterruptedException();
			}
			return join();
		}

	}

}
