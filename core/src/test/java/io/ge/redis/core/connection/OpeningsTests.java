// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

class OpeningsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Openings openings = new Openings();

	@Test
	void closingWaitsForAnOpeningThatIsStillAskingTheDriver() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch asked = new CountDownLatch(1);
		Thread opener = new Thread(() -> this.openings.begin(() -> {
			begun.countDown();
			await(asked);
			return CompletableFuture.completedFuture("open");
		}));
		opener.start();
		begun.await();
		CompletableFuture<Void> closing = startClosing();
		assertThat(closing).isNotDone();
		asked.countDown();
		assertThat(closing).succeedsWithin(PATIENCE);
		opener.join();
	}

	@Test
	void closingWaitsUntilAnOpeningHasEnded() {
		CompletableFuture<String> connection = new CompletableFuture<>();
		this.openings.begin(() -> connection);
		CompletableFuture<Void> closing = startClosing();
		assertThat(closing).isNotDone();
		connection.completeExceptionally(new IllegalStateException("no route"));
		assertThat(closing).succeedsWithin(PATIENCE);
	}

	@Test
	void nothingBeginsAfterClosing() {
		this.openings.close(PATIENCE);
		assertThat(this.openings.begin(() -> fail("must not connect")).toCompletableFuture())
			.isCompletedExceptionally();
	}

	@Test
	void closingDoesNotWaitForAnOpeningThatCouldNotBegin() {
		assertThat(this.openings.begin(() -> {
			throw new IllegalStateException("no threads");
		})).failsWithin(Duration.ZERO).withThrowableThat().havingCause().withMessage("no threads");
		this.openings.close(PATIENCE);
	}

	@Test
	void closingGivesUpOnAnOpeningThatHangs() {
		this.openings.begin(CompletableFuture::new);
		this.openings.close(Duration.ofMillis(1));
	}

	/**
	 * Returns once closing waits.
	 */
	private CompletableFuture<Void> startClosing() {
		CompletableFuture<Void> closing = new CompletableFuture<>();
		Thread closer = new Thread(() -> {
			this.openings.close(PATIENCE);
			closing.complete(null);
		});
		closer.start();
		Awaitility.await().until(() -> closing.isDone() || closer.getState() == Thread.State.WAITING);
		return closing;
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
