// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RelayTests {

	private final List<String> done = new ArrayList<>();

	private final ByHand threads = new ByHand();

	private final Relay relay = new Relay(this.threads);

	@Test
	void oneThreadDoesShortTasksUntilAnotherRuns() {
		List.of("a", "b", "c").forEach((name) -> this.relay.execute(() -> this.done.add(name)));
		assertThat(this.threads.asked).hasSize(1);
		this.threads.asked.remove().run();
		assertThat(this.done).containsExactly("a", "b", "c");
		// It was asked for in case that one of them blocks
		assertThat(this.threads.asked).hasSize(1);
		this.threads.asked.remove().run();
		this.relay.execute(() -> this.done.add("d"));
		this.threads.asked.remove().run();
		assertThat(this.done).endsWith("d");
	}

	@Test
	void tasksThatBlockKeepNoneOfTheOthers() throws Exception {
		try (Relay threads = new Relay(Executors.newCachedThreadPool())) {
			CountDownLatch together = new CountDownLatch(50);
			IntStream.range(0, 50).forEach((i) -> threads.execute(() -> {
				together.countDown();
				try {
					together.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}));
			assertThat(together.await(10, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void taskWithoutAThreadIsRefused() {
		this.threads.refuses = true;
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> this.relay.execute(() -> this.done.add("a")));
		this.threads.refuses = false;
		this.relay.execute(() -> this.done.add("b"));
		this.threads.asked.remove().run();
		assertThat(this.done).containsExactly("b");
	}

	@Test
	void interruptOfOneTaskIsNotThatOfTheNext() {
		this.relay.execute(() -> Thread.currentThread().interrupt());
		this.relay.execute(() -> this.done.add("interrupted " + Thread.currentThread().isInterrupted()));
		this.threads.asked.remove().run();
		assertThat(this.done).containsExactly("interrupted false");
	}

	@Test
	void taskThatFailsKeepsNoneOfTheOthers() {
		this.relay.execute(() -> {
			throw new IllegalStateException("fails");
		});
		this.relay.execute(() -> this.done.add("b"));
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.threads.asked.remove().run());
		this.threads.asked.remove().run();
		assertThat(this.done).containsExactly("b");
	}

	/** Has threads that a test runs. */
	private static final class ByHand extends AbstractExecutorService {

		private final Queue<Runnable> asked = new ArrayDeque<>();

		private boolean refuses;

		@Override
		public void execute(Runnable thread) {
			if (this.refuses) {
				throw new RejectedExecutionException();
			}
			this.asked.add(thread);
		}

		@Override
		public void shutdown() {
		}

		@Override
		public List<Runnable> shutdownNow() {
			return List.of();
		}

		@Override
		public boolean isShutdown() {
			return false;
		}

		@Override
		public boolean isTerminated() {
			return false;
		}

		@Override
		public boolean awaitTermination(long timeout, TimeUnit unit) {
			return true;
		}

	}

}
