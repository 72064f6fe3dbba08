// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import io.ge.redis.core.consume.WorkSource.Doorbell;
import io.ge.redis.core.consume.WorkSource.TakenWork;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A container whose source, handler and executor do at random what they can do: answer
 * late, fail before or after the deed, throw, lose leases, refuse threads. Meanwhile it
 * is woken, paused and resumed. Whatever the order, each message is done once by whom it
 * is leased to, permits are kept, and a stop leaves nothing behind.
 */
class ConsumerInterleavingTests {

	private static final int MESSAGES = 400;

	private static final int CONCURRENCY = 4;

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger most = new AtomicInteger();

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Wide.RUN ? 8 : 3);
	}

	static LongStream seedsOfStops() {
		return LongStream.rangeClosed(11, Wide.RUN ? 14 : 12);
	}

	@AfterEach
	void end() {
		this.handlers.shutdownNow();
		this.scheduler.shutdownNow();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	@Sized
	void eachMessageIsDoneOnceWhateverHappens(long seed) {
		Random random = new Random(seed);
		ShakySource source = new ShakySource(new Random(seed));
		Random handling = new Random(-seed);
		ConsumerContainer<String> container = new ConsumerContainer<>(source, (batch, acknowledgment) -> work(handling),
				MemorySource.settings(CONCURRENCY, 1 + (int) (seed % 3), Duration.ofMillis(100)),
				new ConsumerThreads(this::execute, this.scheduler), null);
		container.start();
		while (source.done() < MESSAGES / 2) {
			switch (random.nextInt(4)) {
				case 0 -> container.pause();
				case 1 -> container.resume();
				default -> container.wake();
			}
			sleep(random.nextInt(3));
		}
		container.resume();
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> source.done() == MESSAGES);
		Awaitility.await().until(() -> container.report().inFlight() == 0);
		assertThat(container.report().available()).isEqualTo(CONCURRENCY);
		assertThat(container.stop()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(source.left).isEqualTo(1);
		assertThat(source.twice).isEmpty();
		assertThat(this.most.get()).isLessThanOrEqualTo(CONCURRENCY);
		assertThat(this.running.get()).isZero();
	}

	@ParameterizedTest
	@MethodSource("seedsOfStops")
	@Sized
	void stopAtAnyTimeHandsBackWhatIsNotDone(long seed) {
		ShakySource source = new ShakySource(new Random(seed));
		Random handling = new Random(-seed);
		ConsumerContainer<String> container = new ConsumerContainer<>(source, (batch, acknowledgment) -> work(handling),
				MemorySource.settings(CONCURRENCY, 1, Duration.ofMillis(100)),
				new ConsumerThreads(this::execute, this.scheduler), null);
		container.start();
		sleep((int) (seed % 4) * 20);
		assertThat(container.stop()).succeedsWithin(Duration.ofSeconds(10));
		assertThat(source.leased()).isZero();
		assertThat(source.left).isEqualTo(1);
		assertThat(source.twice).isEmpty();
		assertThat(container.report().inFlight()).isZero();
		int asked = source.asked();
		sleep(200);
		assertThat(source.asked()).isEqualTo(asked);
	}

	private void execute(Runnable call) {
		if (call.hashCode() % 20 == 0) {
			throw new RejectedExecutionException("none left");
		}
		this.handlers.execute(call);
	}

	private CompletionStage<Object> work(Random random) {
		this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
		if (random.nextInt(10) == 0) {
			this.running.decrementAndGet();
			throw new IllegalStateException("test");
		}
		CompletableFuture<Object> result = new CompletableFuture<>();
		this.scheduler.schedule(() -> {
			this.running.decrementAndGet();
			result.complete("done");
		}, random.nextInt(3), TimeUnit.MILLISECONDS);
		return result;
	}

	private static void sleep(int millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Leases messages, each to the last delivery of it.
	 */
	private final class ShakySource implements WorkSource<String> {

		private final Random random;

		private final Deque<String> waiting = new ArrayDeque<>();

		private final Map<String, String> leases = new HashMap<>();

		private final Map<String, Integer> done = new HashMap<>();

		private final List<String> twice = new ArrayList<>();

		private int deliveries;

		private int asked;

		private int left;

		ShakySource(Random random) {
			this.random = random;
			for (int i = 0; i < MESSAGES; i++) {
				this.waiting.add("m" + i);
			}
		}

		synchronized int done() {
			return this.done.size();
		}

		synchronized int leased() {
			return this.leases.size();
		}

		synchronized int asked() {
			return this.asked;
		}

		@Override
		public String name() {
			return "shaky";
		}

		@Override
		public CompletionStage<TakenWork<String>> take(int most, boolean reclaim,
				Collection<Delivery<String>> inFlight) {
			return answer(() -> {
				this.asked++;
				List<Delivery<String>> taken = new ArrayList<>();
				while (taken.size() < most && !this.waiting.isEmpty()) {
					String id = this.waiting.remove();
					String lease = "l" + ++this.deliveries;
					this.leases.put(id, lease);
					taken.add(new Delivery<>(id, "shaky", 1, lease, id));
				}
				return new TakenWork<>(taken, !this.waiting.isEmpty(), Duration.ofMillis(this.random.nextInt(50)));
			}, false);
		}

		@Override
		public CompletionStage<Collection<Delivery<String>>> heartbeat(Collection<Delivery<String>> inFlight) {
			return answer(() -> {
				List<Delivery<String>> lost = new ArrayList<>();
				for (Delivery<String> delivery : inFlight) {
					if (this.random.nextInt(50) == 0 && delivery.lease().equals(this.leases.get(delivery.id()))) {
						this.leases.remove(delivery.id());
						this.waiting.add(delivery.id());
					}
					if (!delivery.lease().equals(this.leases.get(delivery.id()))) {
						lost.add(delivery);
					}
				}
				return lost;
			}, true);
		}

		@Override
		public CompletionStage<Collection<Delivery<String>>> settle(List<Settlement<String>> settlements) {
			return answer(() -> {
				List<Delivery<String>> lost = new ArrayList<>();
				settlements.forEach((settlement) -> {
					Delivery<String> delivery = settlement.delivery();
					if (!this.leases.remove(delivery.id(), delivery.lease())) {
						lost.add(delivery);
					}
					else if (settlement.outcome() != Settlement.Outcome.DONE) {
						this.waiting.add(delivery.id());
					}
					else if (this.done.merge(delivery.id(), 1, Integer::sum) > 1) {
						this.twice.add(delivery.id());
					}
				});
				return lost;
			}, true);
		}

		// Late or at once, and sometimes not, before or after it is done
		private <R> CompletionStage<R> answer(Supplier<R> action, boolean repeatable) {
			int fate;
			synchronized (this) {
				fate = this.random.nextInt(20);
			}
			if (fate == 0) {
				throw new IllegalStateException("thrown");
			}
			if (fate == 1) {
				return CompletableFuture.failedFuture(new IllegalStateException("failed"));
			}
			R result;
			synchronized (this) {
				result = action.get();
			}
			if (fate == 2 && repeatable) {
				return CompletableFuture.failedFuture(new IllegalStateException("lost"));
			}
			CompletableFuture<R> answer = new CompletableFuture<>();
			if (fate < 10) {
				answer.complete(result);
			}
			else {
				ConsumerInterleavingTests.this.scheduler.schedule(() -> answer.complete(result), fate - 10,
						TimeUnit.MILLISECONDS);
			}
			return answer;
		}

		@Override
		public List<Doorbell> doorbells() {
			return List.of();
		}

		@Override
		public synchronized CompletionStage<?> leave() {
			this.left++;
			return CompletableFuture.completedFuture(null);
		}

	}

}
