// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.ge.redis.Acknowledgment;
import io.ge.redis.NotRetryableException;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.consume.Settlement.Outcome;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class ConsumerContainerTests {

	private static final Duration LEASE = Duration.ofMillis(150);

	private final MemorySource source = new MemorySource();

	private final ExecutorService handlers = Executors.newCachedThreadPool();

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);

	private final CountDownLatch freed = new CountDownLatch(1);

	@AfterEach
	void end() {
		this.freed.countDown();
		this.handlers.shutdownNow();
		this.scheduler.shutdownNow();
	}

	private ConsumerContainer<String> container(ConsumerSettings settings, WorkHandler<String> handler) {
		ConsumerContainer<String> container = new ConsumerContainer<>(this.source, handler, settings,
				new ConsumerThreads(this.handlers, this.scheduler),
				new Doorbells(mock(GuardConnection.class), new ConsumerThreads(Runnable::run, this.scheduler)));
		this.source.container = container;
		container.start();
		return container;
	}

	private ConsumerContainer<String> container(int concurrency, WorkHandler<String> handler) {
		return container(MemorySource.settings(concurrency, 1, LEASE), handler);
	}

	private CompletableFuture<Object> waiting() throws InterruptedException {
		this.freed.await();
		return CompletableFuture.completedFuture(null);
	}

	@Test
	void takesNoMoreThanPermitsAllow() {
		AtomicInteger begun = new AtomicInteger();
		this.source.add(ids(10));
		container(3, (batch, acknowledgment) -> {
			begun.incrementAndGet();
			return waiting();
		});
		Awaitility.await().until(() -> begun.get() == 3);
		assertThat(this.source.waiting).hasSize(7);
		this.freed.countDown();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 10);
	}

	@Test
	void settlesAfterTheWorkAndTogether() {
		this.source.add(ids(5000));
		container(50, (batch, acknowledgment) -> CompletableFuture.completedFuture(null));
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 5000);
		assertThat(this.source.asked("settle")).isLessThan(500);
	}

	@Test
	void failureIsRetriedAndOneThatCannotBeRetriedIsRejected() {
		this.source.add("fails", "never");
		container(2, (batch, acknowledgment) -> {
			Delivery<String> delivery = batch.get(0);
			if (delivery.id().equals("never")) {
				throw new NotRetryableException("test", null);
			}
			return (delivery.attempt() == 1) ? CompletableFuture.failedFuture(new IllegalStateException("test"))
					: CompletableFuture.completedFuture("result");
		});
		Awaitility.await().until(() -> this.source.settled(Outcome.REJECT).size() == 1);
		this.source.container.wake();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 1);
		assertThat(this.source.settled(Outcome.RETRY)).hasSize(1);
		assertThat(this.source.settled(Outcome.DONE).get(0).result()).isEqualTo("result");
	}

	@Test
	void keepsWhatIsInFlightAliveAndNoticesWhatIsLost() {
		AtomicReference<Acknowledgment> given = new AtomicReference<>();
		this.source.add("slow");
		container(1, (batch, acknowledgment) -> {
			given.set(acknowledgment);
			return waiting();
		});
		Awaitility.await().until(() -> this.source.asked("heartbeat") > 3);
		assertThat(given.get().isLeased()).isTrue();
		this.source.stolen.add(new Delivery<>("slow", "memory", 1, "", ""));
		Awaitility.await().until(() -> this.source.lost.size() == 1);
		assertThat(given.get().isLeased()).isFalse();
	}

	@Test
	void waitsWithoutAHotLoopWhileAwayAndSettlesAfterwards() {
		CountDownLatch begun = new CountDownLatch(1);
		this.source.add("one");
		ConsumerContainer<String> container = container(2, (batch, acknowledgment) -> {
			begun.countDown();
			return waiting();
		});
		Awaitility.await().until(() -> begun.getCount() == 0);
		this.source.away = true;
		this.source.add("two");
		this.freed.countDown();
		Awaitility.await().until(() -> container.report().state() == ConsumerReport.State.OUTAGE);
		int asked = this.source.asked("take");
		Awaitility.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
		assertThat(this.source.asked("take") - asked).isLessThan(30);
		assertThat(this.source.settled).isEmpty();
		this.source.away = false;
		container.wake();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 2);
		assertThat(container.report().state()).isEqualTo(ConsumerReport.State.RUNNING);
	}

	@Test
	void repeatsOneTakeAtATimeHoweverOftenItIsWokenMeanwhile() {
		ConsumerContainer<String> container = container(MemorySource.settings(1, 1, Duration.ofHours(1)),
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null));
		this.source.away = true;
		for (int i = 0; i < 100; i++) {
			int asked = this.source.asked("take");
			container.wake();
			Awaitility.await().until(() -> this.source.asked("take") > asked);
		}
		int asked = this.source.asked("take");
		Awaitility.await().pollDelay(Duration.ofMillis(2500)).until(() -> true);
		assertThat(this.source.asked("take") - asked).isLessThan(5);
	}

	@Test
	void plansOneLookForWhatIsDueHoweverOftenItIsWokenMeanwhile() {
		this.source.due = Duration.ofMillis(300);
		ConsumerContainer<String> container = container(MemorySource.settings(1, 1, Duration.ofHours(1)),
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null));
		for (int i = 0; i < 100; i++) {
			int asked = this.source.asked("take");
			container.wake();
			Awaitility.await().until(() -> this.source.asked("take") > asked);
		}
		int asked = this.source.asked("reclaim");
		Awaitility.await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
		assertThat(this.source.asked("reclaim") - asked).isBetween(1, 10);
	}

	@Test
	void releasesWithoutAHotLoopWhenThereIsNoThread() {
		AtomicInteger refused = new AtomicInteger();
		this.source.returnsReleased = true;
		this.source.add("one");
		ConsumerContainer<String> container = new ConsumerContainer<>(this.source,
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null), MemorySource.settings(1, 1, LEASE),
				new ConsumerThreads((call) -> {
					if (refused.incrementAndGet() < 4) {
						throw new OutOfMemoryError("no thread");
					}
					this.handlers.execute(call);
				}, this.scheduler),
				new Doorbells(mock(GuardConnection.class), new ConsumerThreads(Runnable::run, this.scheduler)));
		container.start();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 1);
		assertThat(this.source.settled(Outcome.RELEASE)).hasSize(3);
		assertThat(container.report().available()).isEqualTo(1);
	}

	@Test
	void goesOnWithHeartbeatsAfterOneThatFailed() {
		this.source.broken = true;
		this.source.add("slow");
		container(1, (batch, acknowledgment) -> waiting());
		Awaitility.await().until(() -> this.source.asked("heartbeat") > 3);
	}

	@Test
	void nothingStaysInFlightIfTellingOfAnotherFails() {
		this.source.add("one", "two", "three");
		ConsumerContainer<String> container = new ConsumerContainer<>(this.source,
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null), MemorySource.settings(3, 1, LEASE),
				new ConsumerThreads(this.handlers, this.scheduler),
				new Doorbells(mock(GuardConnection.class), new ConsumerThreads(Runnable::run, this.scheduler)));
		this.source.tellingFails = true;
		container.start();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 3);
		Awaitility.await().until(() -> container.report().inFlight() == 0);
		assertThat(container.stop()).succeedsWithin(Duration.ofSeconds(5));
	}

	@Test
	void batchOfWhichOneIsLostIsNotLeasedAnyMore() {
		AtomicReference<Acknowledgment> given = new AtomicReference<>();
		this.source.add("one", "two");
		container(MemorySource.settings(1, 2, LEASE), (batch, acknowledgment) -> {
			given.set(acknowledgment);
			return waiting();
		});
		Awaitility.await().until(() -> given.get() != null && given.get().isLeased());
		this.source.stolen.add(new Delivery<>("one", "memory", 1, "", "message one"));
		Awaitility.await().until(() -> this.source.lost.size() == 1);
		int beats = this.source.asked("heartbeat");
		Awaitility.await().until(() -> this.source.asked("heartbeat") > beats + 2);
		assertThat(given.get().isLeased()).isFalse();
	}

	@Test
	void whatIsLostWhileItIsBeingSettledIsNotTakenForLeased() {
		AtomicReference<Acknowledgment> given = new AtomicReference<>();
		this.source.add("one");
		container(1, (batch, acknowledgment) -> {
			given.set(acknowledgment);
			return waiting();
		});
		Awaitility.await().until(() -> given.get() != null);
		this.source.away = true;
		this.freed.countDown();
		Awaitility.await().until(() -> this.source.asked("settle") > 0);
		this.source.stolen.add(new Delivery<>("one", "memory", 1, "", "message one"));
		Awaitility.await().until(() -> !given.get().isLeased());
	}

	@Test
	void whatWasLostIsLostOnceAndNotSettled() {
		this.source.add("slow");
		ConsumerContainer<String> container = container(1, (batch, acknowledgment) -> waiting());
		Awaitility.await().until(() -> this.source.asked("heartbeat") > 0);
		this.source.stolen.add(new Delivery<>("slow", "memory", 1, "", ""));
		Awaitility.await().until(() -> this.source.lost.size() == 1);
		this.freed.countDown();
		Awaitility.await().until(() -> container.report().available() == 1);
		assertThat(container.stop()).succeedsWithin(Duration.ofSeconds(5));
		assertThat(this.source.lost).hasSize(1);
		assertThat(this.source.asked("settle")).isZero();
	}

	@Test
	void isOverdueOnlyWhileItCouldTake() {
		Duration period = Duration.ofSeconds(2);
		Duration late = Duration.ofSeconds(7);
		assertThat(report(ConsumerReport.State.RUNNING, 1, late, period).isOverdue()).isTrue();
		assertThat(report(ConsumerReport.State.RUNNING, 1, Duration.ofSeconds(5), period).isOverdue()).isFalse();
		assertThat(report(ConsumerReport.State.RUNNING, 0, late, period).isOverdue()).isFalse();
		assertThat(report(ConsumerReport.State.PAUSED, 1, late, period).isOverdue()).isFalse();
		assertThat(report(ConsumerReport.State.OUTAGE, 1, null, period).isOverdue()).isTrue();
	}

	private static ConsumerReport report(ConsumerReport.State state, int available, @Nullable Duration sinceTaken,
			Duration period) {
		return new ConsumerReport("test", state, 1, available, 0, sinceTaken, period, false, "test");
	}

	@Test
	void stopWaitsForTheWorkAndLeaves() {
		CountDownLatch begun = new CountDownLatch(1);
		this.source.add(ids(3));
		ConsumerContainer<String> container = container(1, (batch, acknowledgment) -> {
			begun.countDown();
			return waiting();
		});
		Awaitility.await().until(() -> begun.getCount() == 0);
		CompletableFuture<Void> stopped = container.stop();
		assertThat(stopped).isNotDone();
		assertThat(this.source.left).isFalse();
		this.freed.countDown();
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(5));
		assertThat(this.source.left).isTrue();
		assertThat(this.source.settled(Outcome.DONE)).hasSize(1);
		assertThat(this.source.waiting).hasSize(2);
	}

	@Test
	void stopThatDrainsGoesOnUntilNothingIsLeft() {
		this.source.add(ids(200));
		ConsumerContainer<String> container = container(new ConsumerSettings(2, 1, LEASE, Duration.ZERO, false,
				Duration.ofSeconds(20), Duration.ofSeconds(20), true, null),
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null));
		CompletableFuture<Void> stopped = container.stop();
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(10));
		assertThat(container.stop()).isDone();
		assertThat(this.source.settled(Outcome.DONE)).hasSize(200);
		assertThat(this.source.left).isTrue();
	}

	@Test
	void stopWhileAThreadIsRefusedReleasesOnce() {
		AtomicReference<ConsumerContainer<String>> stopping = new AtomicReference<>();
		this.source.add("one");
		ConsumerContainer<String> container = new ConsumerContainer<>(this.source, (batch, acknowledgment) -> waiting(),
				MemorySource.settings(1, 1, LEASE), new ConsumerThreads((call) -> {
					stopping.get().stop();
					throw new RejectedExecutionException("none left");
				}, this.scheduler),
				new Doorbells(mock(GuardConnection.class), new ConsumerThreads(Runnable::run, this.scheduler)));
		stopping.set(container);
		container.start();
		assertThat(container.stop()).succeedsWithin(Duration.ofSeconds(5));
		assertThat(this.source.left).isTrue();
		assertThat(this.source.settled(Outcome.RELEASE)).hasSize(1);
		assertThat(container.report().available()).isEqualTo(1);
	}

	@Test
	void stopReleasesWhatHasNotBegun() {
		ExecutorService one = Executors.newSingleThreadExecutor();
		AtomicInteger begun = new AtomicInteger();
		this.source.add(ids(3));
		ConsumerContainer<String> container = new ConsumerContainer<>(this.source, (batch, acknowledgment) -> {
			begun.incrementAndGet();
			return waiting();
		}, MemorySource.settings(3, 1, LEASE), new ConsumerThreads(one, this.scheduler),
				new Doorbells(mock(GuardConnection.class), new ConsumerThreads(Runnable::run, this.scheduler)));
		container.start();
		Awaitility.await().until(() -> begun.get() == 1 && container.report().inFlight() == 3);
		CompletableFuture<Void> stopped = container.stop();
		this.freed.countDown();
		assertThat(stopped).succeedsWithin(Duration.ofSeconds(5));
		assertThat(this.source.settled(Outcome.DONE)).hasSize(1);
		assertThat(this.source.settled(Outcome.RELEASE)).hasSize(2);
		one.shutdownNow();
	}

	@Test
	void paused() {
		ConsumerContainer<String> container = container(1,
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null));
		container.pause();
		this.source.add("one");
		assertThat(container.report().state()).isEqualTo(ConsumerReport.State.PAUSED);
		assertThat(this.source.settled).isEmpty();
		container.resume();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 1);
	}

	@Test
	void waitsForItsStartAndSaysSoIfWorkWaits() {
		ConsumerContainer<String> container = container(new ConsumerSettings(1, 1, LEASE, Duration.ZERO, false,
				Duration.ZERO, Duration.ofSeconds(5), false, null),
				(batch, acknowledgment) -> CompletableFuture.completedFuture(null));
		assertThat(container.report().state()).isEqualTo(ConsumerReport.State.PAUSED);
		assertThat(container.report().isNeglected()).isFalse();
		this.source.add("one");
		Awaitility.await().until(() -> container.report().isNeglected());
		assertThat(this.source.asked("take")).isZero();
		container.resume();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 1);
		assertThat(container.report().isNeglected()).isFalse();
		container.pause();
		this.source.add("two");
		Awaitility.await().until(() -> container.report().isNeglected());
		assertThat(container.report().problem()).contains("Messages wait");
		container.resume();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 2);
	}

	@Test
	void callThatLastsTooLongIsOverdue() {
		this.source.add("one");
		ConsumerContainer<String> container = container(new ConsumerSettings(1, 1, LEASE, Duration.ZERO, false,
				Duration.ZERO, Duration.ofSeconds(5), true, Duration.ofMillis(50)),
				(batch, acknowledgment) -> waiting());
		Awaitility.await().until(() -> container.report().isOverdue());
		assertThat(container.report().problem()).contains("max-processing-time");
		this.freed.countDown();
		Awaitility.await().until(() -> !container.report().isOverdue());
	}

	@Test
	void manualAcknowledgementThatIsNeverMadeEndsTheHeartbeatsOnly() {
		AtomicReference<Acknowledgment> given = new AtomicReference<>();
		this.source.add("one");
		ConsumerContainer<String> container = container(new ConsumerSettings(1, 1, LEASE, Duration.ZERO, true,
				Duration.ZERO, Duration.ofSeconds(5), true, null), (batch, acknowledgment) -> {
					given.set(acknowledgment);
					return CompletableFuture.completedFuture(null);
				});
		Awaitility.await().until(() -> given.get() != null && container.report().inFlight() == 0);
		assertThat(this.source.settled).isEmpty();
		// Within the lease it must not be given again, and from then on it may
		assertThat(this.source.held).isSubsetOf("one");
		container.wake();
		Awaitility.await().until(() -> this.source.held.contains("one"));
		Awaitility.await().until(() -> {
			container.wake();
			return this.source.held.isEmpty();
		});
		given.get().acknowledge();
		given.get().retry();
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 1);
		assertThat(this.source.settled(Outcome.RETRY)).isEmpty();
	}

	@Test
	void rejectsOneOfABatchApart() {
		this.source.add("1", "bad", "2");
		container(MemorySource.settings(1, 3, LEASE), (batch, acknowledgment) -> {
			acknowledgment.reject(batch.get(1), new NotRetryableException("test", null));
			return CompletableFuture.completedFuture(null);
		});
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 2);
		assertThat(this.source.settled(Outcome.REJECT)).extracting((each) -> each.delivery().id())
			.containsExactly("bad");
	}

	@Test
	void givesBatchesOfAtMostTheirSize() {
		List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
		this.source.add(ids(25));
		container(MemorySource.settings(2, 10, LEASE), (batch, acknowledgment) -> {
			sizes.add(batch.size());
			return CompletableFuture.completedFuture(null);
		});
		Awaitility.await().until(() -> this.source.settled(Outcome.DONE).size() == 25);
		assertThat(sizes).allMatch((size) -> size <= 10).contains(10);
	}

	private static String[] ids(int count) {
		return IntStream.range(0, count).mapToObj(String::valueOf).toArray(String[]::new);
	}

}
