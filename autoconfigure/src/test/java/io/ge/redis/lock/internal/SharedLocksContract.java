// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.LockReleaseEvent;
import io.ge.redis.lock.MultiLockHandle;
import io.ge.redis.lock.OnLost;
import io.ge.redis.test.RedisMonitor;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What locks promise that several may hold together, on every kind of Redis, seen by two
 * instances of an application.
 */
abstract class SharedLocksContract extends LocksContract {

	private static final Duration LONG = Duration.ofSeconds(20);

	private static final LockOptions READ = LockOptions.defaults().mode(LockMode.READ);

	private static final LockOptions WRITE = LockOptions.defaults().mode(LockMode.WRITE);

	private static final LockOptions TWO = LockOptions.defaults().permits(2);

	SharedLocksContract() {
		super(":w1");
	}

	@Override
	void warmUp(DistributedLocks locks) {
		locks.lock("warm", "up", READ.waitTime(LONG)).close();
	}

	@Test
	void readersHoldTogetherAndExcludeWriters() {
		LockHandle one = read(this.first).orElseThrow();
		LockHandle two = read(this.second).orElseThrow();
		LockHandle three = read(this.first).orElseThrow();
		assertThat(write(this.second)).isEmpty();
		one.close();
		two.close();
		assertThat(write(this.first)).isEmpty();
		three.close();
		LockHandle writer = write(this.second).orElseThrow();
		assertThat(writer.token()).isGreaterThan(Math.max(one.token(), Math.max(two.token(), three.token())));
		assertThat(read(this.first)).isEmpty();
		assertThat(write(this.second)).isEmpty();
		writer.close();
		read(this.first).orElseThrow().close();
	}

	@Test
	void asManyHoldAsThereArePermits() {
		LockHandle one = this.first.locks().tryLock("slots", 1, TWO).orElseThrow();
		LockHandle two = this.second.locks().tryLock("slots", 1, TWO).orElseThrow();
		assertThat(this.first.locks().tryLock("slots", 1, TWO)).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.second.locks().lock("slots", 1, TWO))
			.satisfies((ex) -> assertThat(ex.retryAfter()).isNull());
		this.first.locks().tryLock("slots", 2, TWO).orElseThrow().close();
		one.close();
		this.second.locks().tryLock("slots", 1, TWO).orElseThrow().close();
		two.close();
	}

	@Test
	void smallerNumberOfPermitsCountsWhileInstancesDiffer() {
		LockHandle one = this.first.locks().tryLock("slots", 1, LockOptions.defaults().permits(5)).orElseThrow();
		LockHandle two = this.second.locks().tryLock("slots", 1, TWO).orElseThrow();
		assertThat(this.first.locks().tryLock("slots", 1, LockOptions.defaults().permits(5))).isEmpty();
		two.close();
		LockHandle three = this.first.locks().tryLock("slots", 1, LockOptions.defaults().permits(5)).orElseThrow();
		assertThat(this.second.locks().tryLock("slots", 1, TWO)).isEmpty();
		one.close();
		three.close();
	}

	@Test
	void exclusiveHoldersExcludeSharedOnesAndTheOtherWayRound() {
		LockHandle shared = this.first.locks().tryLock("slots", 1, TWO).orElseThrow();
		assertThat(this.second.locks().tryLock("slots", 1)).isEmpty();
		CompletableFuture<LockHandle> waiting = this.second
			.async(() -> this.second.locks().lock("slots", 1, LockOptions.defaults().waitTime(LONG)));
		Awaitility.await().until(() -> this.second.waiting() == 1);
		shared.close();
		LockHandle alone = waiting.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(this.first.locks().tryLock("slots", 1, TWO)).isEmpty();
		CompletableFuture<LockHandle> back = this.first
			.async(() -> this.first.locks().lock("slots", 1, TWO.waitTime(LONG)));
		Awaitility.await().until(() -> this.first.waiting() == 1);
		alone.close();
		LockHandle again = back.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(again.token()).isGreaterThan(alone.token()).isGreaterThan(shared.token());
		again.close();
	}

	@Test
	void uncontendedCycleCostsTwoScriptCalls() {
		cycles();
		this.redis.configResetStat();
		int before = this.first.scripts();
		cycles();
		assertThat(this.first.scripts() - before).isEqualTo(40);
		assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isEqualTo(40);
	}

	@Test
	void onlyWhoWaitsIsTold() {
		List<RedisMonitor> monitors = this.redis.endpoints()
			.stream()
			.map((server) -> RedisMonitor.of(server, "PUBLISH"))
			.toList();
		try {
			cycles();
			assertThat(told(monitors)).isEmpty();
			LockHandle held = this.first.locks().lock("orders", 42, WRITE);
			CompletableFuture<Void> waiting = this.second.async(() -> {
				this.second.locks().lock("orders", 42, READ.waitTime(LONG)).close();
				return null;
			});
			awaitQueued("{orders:42}", 1);
			held.close();
			waiting.orTimeout(20, TimeUnit.SECONDS).join();
			assertThat(told(monitors)).isNotEmpty();
		}
		finally {
			monitors.forEach(RedisMonitor::close);
		}
	}

	/**
	 * What locks have told. Sentinels and instances that are alive publish as well.
	 */
	private static List<String> told(List<RedisMonitor> monitors) {
		return monitors.stream()
			.flatMap((monitor) -> monitor.executed().stream())
			.map((message) -> message.arguments().get(1))
			.filter((text) -> text.startsWith("lock"))
			.toList();
	}

	private void cycles() {
		for (int i = 0; i < 10; i++) {
			this.first.locks().lock("orders", i, READ.waitTime(LONG)).close();
			this.first.locks().lock("orders", i, WRITE).close();
		}
	}

	@Test
	void nestedEntryCostsNothingAndWhatWouldWaitForItselfIsRefused() {
		DistributedLocks locks = this.first.locks();
		int before = this.first.scripts();
		locks.<Void, RuntimeException>execute("orders", 42, WRITE, (outer) -> {
			locks.<Void, RuntimeException>execute("orders", 42, READ, (inner) -> {
				assertThat(inner.token()).isEqualTo(outer.token());
				return locks.execute("orders", 42, WRITE, (innermost) -> null);
			});
			return null;
		});
		locks.<Void, RuntimeException>execute("slots", 42, TWO,
				(outer) -> locks.execute("slots", 42, TWO, (a) -> locks.execute("slots", 42, TWO, (b) -> null)));
		assertThat(this.first.scripts() - before).isEqualTo(4);
		AtomicBoolean ran = new AtomicBoolean();
		locks.<Void, RuntimeException>execute("orders", 42, READ, (outer) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> locks.<Void, RuntimeException>execute("orders", 42, WRITE.waitTime(LONG), (inner) -> {
					ran.set(true);
					return null;
				}))
				.withMessageContaining("'orders'")
				.withMessageContaining("in mode WRITE")
				.withMessageContaining("in mode READ")
				.withMessageNotContaining("42");
			assertThatIllegalStateException()
				.isThrownBy(() -> locks.executeAll("orders", List.of(41, 42), WRITE.waitTime(LONG), (inner) -> null));
			return locks.execute("orders", 42, READ, (inner) -> null);
		});
		assertThat(ran).isFalse();
		write(this.second).orElseThrow().close();
		this.second.locks().tryLock("orders", 41, WRITE).orElseThrow().close();
	}

	@Test
	void writerWaitsForThoseThatCameBeforeItAndNotForThoseThatComeLater() {
		LockHandle before = read(this.first).orElseThrow();
		CompletableFuture<LockHandle> writer = waitIn(this.second, "orders", WRITE);
		awaitQueued("{orders:42}", 1);
		assertThat(read(this.first)).isEmpty();
		CompletableFuture<LockHandle> after = waitIn(this.first, "orders", READ);
		awaitQueued("{orders:42}", 2);
		CompletableFuture<LockHandle> likewise = waitIn(this.second, "orders", READ);
		awaitQueued("{orders:42}", 3);
		long started = System.nanoTime();
		int asked = this.second.scripts();
		before.close();
		LockHandle writes = writer.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(after).isNotDone();
		assertThat(likewise).isNotDone();
		writes.close();
		LockHandle one = after.orTimeout(5, TimeUnit.SECONDS).join();
		LockHandle two = likewise.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(one.isValid() && two.isValid()).isTrue();
		int scripts = this.second.scripts() - asked;
		long seconds = Duration.ofNanos(System.nanoTime() - started).toSeconds();
		// The release, and each second's questions and extensions of both
		assertThat((long) scripts).isLessThanOrEqualTo(8 * (1 + seconds));
		one.close();
		two.close();
	}

	@Test
	void writerIsServedAmongReadersThatComeAgainAndAgain() {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger reads = new AtomicInteger();
		List<CompletableFuture<Void>> readers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockApplication application = (i % 2 == 0) ? this.first : this.second;
			readers.add(application.async(() -> {
				while (!over.get()) {
					application.locks().<Void, RuntimeException>execute("orders", 42, READ.waitTime(LONG), (lock) -> {
						reads.incrementAndGet();
						Thread.yield();
						return null;
					});
				}
				return null;
			}));
		}
		Awaitility.await().until(() -> reads.get() > 20);
		int askedAgain = 0;
		try (LockApplication third = LockApplication.start(this.redis.properties(), PATIENT)) {
			for (int i = 0; i < 10; i++) {
				int asked = third.scripts();
				CompletableFuture<int[]> writer = third.async(() -> {
					try (LockHandle lock = third.locks().lock("orders", 42, WRITE.waitTime(LONG))) {
						return new int[] { reads.get(), third.scripts() };
					}
				});
				Awaitility.await()
					.pollInterval(Duration.ofMillis(1))
					.until(() -> third.scripts() > asked || writer.isDone());
				int before = reads.get();
				int[] served = writer.orTimeout(30, TimeUnit.SECONDS).join();
				if (served[1] - asked > 2) {
					// A grant that it has not taken in time is for others, too
					askedAgain++;
				}
				else {
					// Those that were there may not have counted themselves yet
					assertThat(served[0] - before).as("reads before a writer").isLessThanOrEqualTo(readers.size());
				}
			}
		}
		// Who waits asks again after most of a second
		assertThat(askedAgain).isLessThan(4);
		over.set(true);
		CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).orTimeout(20, TimeUnit.SECONDS).join();
	}

	@Test
	void noWriterIsBesideAnybodyAndNoMoreHoldersThanPermits() {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger together = new AtomicInteger();
		// Two readers, before any writer comes
		CountDownLatch met = new CountDownLatch(1);
		List<String> wrong = new java.util.concurrent.CopyOnWriteArrayList<>();
		List<CompletableFuture<Void>> workers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockApplication application = (i % 2 == 0) ? this.first : this.second;
			boolean writes = i >= 6;
			workers.add(application.async(() -> {
				if (writes) {
					await(met);
				}
				for (int round = 0; round < 25; round++) {
					application.locks()
						.<Void, RuntimeException>execute("orders", 42, (writes ? WRITE : READ).waitTime(LONG),
								(lock) -> {
									int others = (writes ? writers : readers).incrementAndGet();
									if (writes ? (others > 1 || readers.get() > 0) : writers.get() > 0) {
										wrong.add(writers + " writers, " + readers + " readers");
									}
									if (together.accumulateAndGet(readers.get(), Math::max) > 1) {
										met.countDown();
									}
									await(met);
									Thread.yield();
									(writes ? writers : readers).decrementAndGet();
									return null;
								});
					application.locks().<Void, RuntimeException>execute("slots", 42, TWO.waitTime(LONG), (lock) -> {
						if (holders.incrementAndGet() > 2) {
							wrong.add(holders + " holders");
						}
						Thread.yield();
						holders.decrementAndGet();
						return null;
					});
				}
				return null;
			}));
		}
		CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(wrong).isEmpty();
		assertThat(together.get()).isGreaterThan(1);
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
		assertThat(this.second.events(LockLostEvent.class)).isEmpty();
		awaitQueued("{orders:42}", 0);
		assertThat(this.first.waiting() + this.second.waiting()).isZero();
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@Wide
	void waitTimeBoundsTheWaitAndThoseBehindAreServed() {
		try (LockHandle held = read(this.first).orElseThrow()) {
			CompletableFuture<Optional<LockHandle>> writer = this.second
				.async(() -> this.second.locks().tryLock("orders", 42, WRITE.waitTime(Duration.ofSeconds(3))));
			awaitQueued("{orders:42}", 1);
			Stopwatch watch = Stopwatch.start();
			CompletableFuture<LockHandle> behind = waitIn(this.first, "orders", READ);
			assertThat(writer.orTimeout(10, TimeUnit.SECONDS).join()).isEmpty();
			behind.orTimeout(10, TimeUnit.SECONDS).join().close();
			// The place of a writer that has gone without a word counts four seconds from
			// its last question
			assertThat(watch.elapsed()).isLessThan(Duration.ofMillis(6500));
			assertThat(held.isValid()).isTrue();
		}
		awaitQueued("{orders:42}", 0);
	}

	@Test
	@Wide
	void waiterThatGivesUpAtTheMomentOfTheGrantLosesNothing() throws Exception {
		int acquired = 0;
		for (int i = 0; i < 30; i++) {
			LockHandle held = this.first.locks().lock("orders", 42, WRITE.waitTime(LONG));
			CompletableFuture<Boolean> outcome = new CompletableFuture<>();
			LockOptions options = ((i % 2 == 0) ? WRITE : READ).waitTime(LONG);
			Thread waiter = new Thread(() -> {
				try {
					this.second.locks().lock("orders", 42, options).close();
					outcome.complete(true);
				}
				catch (LockInterruptedException ex) {
					outcome.complete(false);
				}
			});
			waiter.start();
			awaitQueued("{orders:42}", 1);
			if (i == 0) {
				waiter.interrupt();
				outcome.join(); // gives up for certain
			}
			CompletableFuture<Void> release = this.first.async(() -> {
				held.close();
				return null;
			});
			if (i % 3 > 0) {
				release.join();
			}
			for (int spin = 0; spin < (i % 10) * 20_000; spin++) {
				Thread.onSpinWait();
			}
			waiter.interrupt();
			acquired += outcome.get(5, TimeUnit.SECONDS) ? 1 : 0;
			release.get(5, TimeUnit.SECONDS);
			Stopwatch watch = Stopwatch.start();
			this.first.locks().lock("orders", 42, WRITE.waitTime(LONG)).close();
			assertThat(watch.elapsed()).as("round %d", i).isLessThan(RedisLocks.GRANT.minusMillis(200));
		}
		assertThat(acquired).isLessThan(30);
		awaitQueued("{orders:42}", 0);
	}

	@Test
	void instanceWhoseWaiterGaveUpHandsOnAtOnce() {
		LockHandle held = write(this.first).orElseThrow();
		// As if the second instance's goodbye had been lost
		RedisShares shares = shares(this.second);
		assertThat(ask(shares, "gone", Duration.ofSeconds(10)).tokens()).isNull();
		awaitQueued("{orders:42}", 1);
		CompletableFuture<LockHandle> waiting = waitIn(this.first, "orders", WRITE);
		awaitQueued("{orders:42}", 2);
		Stopwatch watch = Stopwatch.start();
		held.close();
		waiting.orTimeout(5, TimeUnit.SECONDS).join().close();
		assertThat(watch.elapsed()).isLessThan(RedisLocks.GRANT.minusMillis(200));
	}

	@Test
	void messageAloneGrantsNothing() {
		LockHandle held = write(this.first).orElseThrow();
		CompletableFuture<LockHandle> waiting = waitIn(this.second, "orders", READ);
		awaitQueued("{orders:42}", 1);
		String handle = String.valueOf(command("ZRANGE", "ge:lock:{orders:42}:w1", "0", "0")).replaceAll(".* |]", "");
		int asked = this.second.scripts();
		this.second.tell("lock.share " + handle + " ge:lock:{orders:42}");
		Awaitility.await().until(() -> this.second.scripts() > asked || waiting.isDone());
		assertThat(waiting).isNotDone();
		held.close();
		LockHandle next = waiting.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(next.token()).isGreaterThan(held.token());
		next.close();
	}

	@Test
	void askingAgainWithSameHandleGivesSameToken() {
		RedisShares shares = shares(this.first);
		LockAnswer answer = ask(shares, "h1", Duration.ZERO);
		assertThat(answer.tokens()).isNotNull();
		assertThat(ask(shares, "h1", Duration.ofSeconds(10))).isEqualTo(answer);
		assertThat(ask(shares, "h2", Duration.ZERO).tokens()).isNull();
		assertThat(release(shares, "h2")).isFalse();
		assertThat(renew(shares, "h2")).isFalse();
		assertThat(renew(shares, "h1")).isTrue();
		assertThat(release(shares, "h1")).isTrue();
		assertThat(release(shares, "h1")).isFalse();
		assertThat(renew(shares, "h1")).isFalse();
	}

	private static RedisShares shares(LockApplication application) {
		return new RedisShares(application.backend(), new RedisLocks(application.backend()));
	}

	private RedisLockKey key() {
		return new RedisLocks(this.first.backend()).key("orders", List.of("42"));
	}

	private LockAnswer ask(RedisShares shares, String handle, Duration wait) {
		LockSettings settings = new LockSettings("orders", wait, Duration.ofSeconds(30), true, OutagePolicy.DENY, null,
				Duration.ZERO, OnLost.EVENT, 0, Duration.ofMillis(50), LockMode.WRITE, 1);
		return shares.acquire(key(), handle, settings, !wait.isZero(), shares.newBudget()).join();
	}

	private boolean release(RedisShares shares, String handle) {
		return shares.release(key(), handle, null, Duration.ZERO, Duration.ZERO, shares.newBudget()).join().mine();
	}

	private boolean renew(RedisShares shares, String handle) {
		CompletableFuture<Boolean> mine = new CompletableFuture<>();
		shares.renew(List.of(new LeaseRenewal(key(), handle, Duration.ofSeconds(30), null)),
				(renewal, extended) -> mine.complete(extended), (renewal) -> mine.complete(false));
		return mine.orTimeout(5, TimeUnit.SECONDS).join();
	}

	@Test
	@Wide
	void leasesAreExtendedWhileHeldAlsoThoseOfGrants() {
		LockOptions reads = READ.leaseTime(Duration.ofMillis(4500)).waitTime(LONG);
		LockHandle writer = write(this.first).orElseThrow();
		CompletableFuture<LockHandle> one = waitIn(this.first, "orders", reads);
		CompletableFuture<LockHandle> two = waitIn(this.second, "orders", reads);
		awaitQueued("{orders:42}", 2);
		writer.close();
		LockHandle here = one.orTimeout(5, TimeUnit.SECONDS).join();
		LockHandle there = two.orTimeout(5, TimeUnit.SECONDS).join();
		int before = this.second.scripts();
		Awaitility.await().atMost(LONG).until(() -> this.second.scripts() - before >= 4);
		assertThat(here.isValid() && there.isValid()).isTrue();
		assertThat(write(this.first)).isEmpty();
		here.close();
		there.close();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
		assertThat(this.second.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void shareThatIsNotExtendedEndsForItsHolderFirst() {
		LockHandle stays = this.first.locks().tryLock("slots", 42, TWO).orElseThrow();
		LockHandle held = this.first.locks()
			.lock("slots", 42, TWO.leaseTime(Duration.ofMillis(2500)).maxHold(Duration.ofSeconds(3)));
		LockHandle next = this.second.locks().lock("slots", 42, TWO.waitTime(LONG));
		assertThat(held.isValid()).isFalse();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("slots", held.token(), LockLostEvent.Cause.EXPIRED)));
		held.close();
		assertThat(stays.isValid() && next.isValid()).isTrue();
		assertThat(this.first.locks().tryLock("slots", 42, TWO)).isEmpty();
		next.close();
		stays.close();
	}

	@Test
	@Wide
	void holdersLearnThatTheirSharesAreGone() {
		LockHandle one = this.first.locks().lock("orders", 42, READ.leaseTime(Duration.ofSeconds(9)));
		LockHandle two = this.second.locks().lock("orders", 42, READ.leaseTime(Duration.ofSeconds(9)));
		LockHandle released = this.second.locks().lock("orders", 42, READ);
		this.redis.flushAll();
		released.close();
		Awaitility.await().atMost(Duration.ofSeconds(8)).until(() -> !one.isValid() && !two.isValid());
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("orders", one.token(), LockLostEvent.Cause.NOT_OWNER)));
		one.close();
		two.close();
		Awaitility.await().until(() -> this.second.events(LockLostEvent.class).size() == 2);
	}

	@Test
	@Wide
	void placeStaysTakenForItsShortestHold() {
		LockHandle other = this.first.locks().tryLock("slots", 42, TWO).orElseThrow();
		long started = System.nanoTime();
		this.first.locks().lock("slots", 42, TWO.atLeastFor(Duration.ofMillis(1500))).close();
		Optional<LockHandle> early = this.second.locks().tryLock("slots", 42, TWO);
		assertThat(early.isPresent() && System.nanoTime() - started < 1_490_000_000L).isFalse();
		early.ifPresent(LockHandle::close);
		LockHandle next = this.second.locks().lock("slots", 42, TWO.waitTime(LONG));
		assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofMillis(1490));
		next.close();
		other.close();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void forcedReleaseInformsAllHoldersAndServesTheNext() {
		LockHandle one = read(this.first).orElseThrow();
		LockHandle two = read(this.second).orElseThrow();
		this.first.locks().lock("orders", 42, READ.atLeastFor(Duration.ofMinutes(1))).close();
		CompletableFuture<LockHandle> waiting = waitIn(this.second, "orders", WRITE);
		awaitQueued("{orders:42}", 1);
		GuardFigures used = new GuardFigures();
		used.onEvent(new LockReleaseEvent("orders", Duration.ZERO));
		GuardResource control = this.second.get(LockPattern.class).control(new GuardedMethods(), used);
		GuardRequest order = new GuardRequest(List.of("orders"), Map.of("key", "42"));
		LockState.Shared shared = ((LockControl.Look) control.read(order)).shared();
		assertThat(shared).isNotNull();
		assertThat(shared.holders()).isEqualTo(3);
		assertThat(shared.waiters()).isEqualTo(1);
		assertThat(shared.shares()).filteredOn(LockState.Share::held)
			.extracting(LockState.Share::token)
			.containsExactlyInAnyOrder(one.token(), two.token());
		assertThat(shared.shares()).filteredOn((share) -> !share.held()).hasSize(1);
		assertThat(shared.shares()).extracting(LockState.Share::holder)
			.contains(this.first.backend().bus().instanceId(), this.second.backend().bus().instanceId());
		assertThat(shared.shares()).allMatch((share) -> share.remaining().compareTo(Duration.ofMinutes(1)) <= 0
				&& share.age().compareTo(Duration.ofMinutes(1)) < 0);
		assertThat(control.delete(order)).isEqualTo(new LockControl.ReleaseReport("orders", true));
		LockHandle next = waiting.orTimeout(5, TimeUnit.SECONDS).join();
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !one.isValid() && !two.isValid());
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("orders", one.token(), LockLostEvent.Cause.NOT_OWNER)));
		one.close();
		two.close();
		assertThat(next.isValid()).isTrue();
		next.close();
		assertThat(control.delete(order)).isEqualTo(new LockControl.ReleaseReport("orders", false));
		assertThat(((LockControl.Look) control.read(order)).shared()).isNull();
	}

	@Test
	void writersTokensRiseOverLossOfAllData() {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			LockApplication application = (i % 2 == 0) ? this.first : this.second;
			try (LockHandle lock = application.locks()
				.lock("orders", 42, ((i % 5 == 0) ? READ : WRITE).waitTime(LONG))) {
				assertThat(lock.token()).isGreaterThan(last);
				last = lock.token();
			}
			if (i % 3 == 0) {
				this.redis.flushAll();
			}
		}
	}

	@Test
	@Wide
	void leasesOfManySharesAreExtendedTogether() {
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			held.add(this.first.locks().lock("many", i / 2, READ.leaseTime(Duration.ofSeconds(3))));
		}
		// The first extensions bring them together
		long acquired = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - acquired > 2_500_000_000L);
		int scripts = this.first.scripts();
		long started = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - started > 3_000_000_000L);
		int slots = (this.primaries.size() > 1) ? 100 : 1;
		long sent = this.first.scripts() - scripts;
		long leases = (System.nanoTime() - started) / 3_000_000_000L;
		assertThat(sent).isLessThanOrEqualTo(8 * slots * leases);
		assertThat(held).allMatch(LockHandle::isValid);
		held.forEach(LockHandle::close);
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void waiterAsksAtMostOnceASecond() {
		LockHandle held = read(this.first).orElseThrow();
		int asleep = this.second.scripts();
		CompletableFuture<LockHandle> waiting = waitIn(this.second, "orders", WRITE);
		awaitQueued("{orders:42}", 1);
		Awaitility.await().until(() -> this.second.scripts() > asleep);
		long started = System.nanoTime();
		int before = this.second.scripts();
		Awaitility.await().until(() -> this.second.scripts() - before >= 4);
		assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
		held.close();
		waiting.orTimeout(5, TimeUnit.SECONDS).join().close();
	}

	@Test
	void closedApplicationLeavesSharesAndQueuesToOthers() {
		LockHandle held = write(this.first).orElseThrow();
		CompletableFuture<Optional<LockHandle>> waiting = this.second
			.async(() -> this.second.locks().tryLock("orders", 42, READ.waitTime(LONG)));
		awaitQueued("{orders:42}", 1);
		this.second.close();
		assertThat(waiting.orTimeout(5, TimeUnit.SECONDS).join()).isEmpty();
		awaitQueued("{orders:42}", 0);
		held.close();
		write(this.first).orElseThrow().close();
	}

	@Test
	void severalKeysAreSharedTogether() {
		try (MultiLockHandle all = this.first.locks().lockAll("orders", List.of(1, 2), READ);
				MultiLockHandle likewise = this.second.locks().lockAll("orders", List.of(2, 3), READ)) {
			assertThat(all.isValid() && likewise.isValid()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.second.locks().lockAll("orders", List.of(0, 1), WRITE));
		}
		this.first.locks().lockAll("orders", List.of(0, 1, 2, 3), WRITE).close();
	}

	@Test
	void refusesPermitsThatCannotWork() {
		DistributedLocks locks = this.first.locks();
		for (LockOptions wrong : List.of(LockOptions.defaults().permits(0), READ.permits(2), WRITE.permits(2),
				LockOptions.defaults().permits(1_000_001))) {
			assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> locks.lock("x", 1, wrong))
				.withMessageContaining("permits");
		}
	}

	private static Optional<LockHandle> read(LockApplication application) {
		return application.locks().tryLock("orders", 42, READ);
	}

	private static Optional<LockHandle> write(LockApplication application) {
		return application.locks().tryLock("orders", 42, WRITE);
	}

	private static CompletableFuture<LockHandle> waitIn(LockApplication application, String name, LockOptions options) {
		return application.async(() -> application.locks().lock(name, 42, options.waitTime(LONG)));
	}

}
