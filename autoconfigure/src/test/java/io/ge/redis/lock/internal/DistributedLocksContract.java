// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.InvalidKeyException;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.MultiLockHandle;
import io.ge.redis.lock.OnLost;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What locks promise on every kind of Redis, seen by two instances of an application.
 */
abstract class DistributedLocksContract extends LocksContract {

	private static final LockOptions WAITING = LockOptions.defaults().waitTime(Duration.ofSeconds(20));

	DistributedLocksContract() {
		super(":q1");
	}

	@Override
	void warmUp(DistributedLocks locks) {
		locks.lock("warm", "up", WAITING).close();
	}

	@Test
	void excludesOtherInstanceUntilReleased() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		assertThat(this.second.locks().tryLock("orders", 42)).isEmpty();
		assertThat(this.first.locks().tryLock("orders", 42)).isEmpty();
		held.close();
		try (LockHandle next = this.second.locks().tryLock("orders", 42).orElseThrow()) {
			assertThat(next.token()).isGreaterThan(held.token());
		}
	}

	@Test
	void otherNamesAndKeysAreOtherLocks() {
		try (LockHandle one = this.first.locks().tryLock("orders", "42").orElseThrow();
				LockHandle two = this.second.locks().tryLock("orders", "43").orElseThrow();
				LockHandle three = this.second.locks().tryLock("invoices", "42").orElseThrow();
				LockHandle four = this.second.locks().tryLock("orders", List.of("4", "2")).orElseThrow()) {
			assertThat(List.of(one, two, three, four)).allMatch(LockHandle::isValid);
		}
	}

	@Test
	void refusalTellsWhenTheLockIsFreeIfThatIsKnown() {
		LockOptions options = LockOptions.defaults().atLeastFor(Duration.ofMinutes(1));
		LockOptions waiting = options.waitTime(Duration.ofMillis(50));
		try (LockHandle held = this.first.locks().lock("orders", 42, options)) {
			for (LockOptions refused : List.of(options, waiting)) {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.second.locks().lock("orders", 42, refused))
					.satisfies((ex) -> {
						assertThat(ex.name()).isEqualTo(held.name());
						assertThat(ex.retryAfter()).as("end of work that goes on").isNull();
						assertThat(ex).hasMessageNotContaining("42");
					});
			}
		}
		for (LockOptions refused : List.of(options, waiting)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.second.locks().lock("orders", 42, refused))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1)));
		}
	}

	@Test
	void uncontendedCycleCostsTwoScriptCallsAndNoMessage() {
		try (Messages messages = new Messages(this.redis.connectionFactory())) {
			cycles(10); // every node of a cluster knows the scripts now
			this.redis.configResetStat();
			int before = this.first.scripts();
			cycles(10);
			assertThat(this.first.scripts() - before).isEqualTo(20);
			assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isEqualTo(20);
			assertThat(messages.aboutLocks()).isEmpty();
		}
	}

	private void cycles(int count) {
		for (int i = 0; i < count; i++) {
			this.first.locks().lock("orders", i, WAITING).close();
		}
	}

	@Test
	void nestedWorkCostsNothingAndKeepsToken() {
		int before = this.first.scripts();
		Boolean same = this.first.locks().<Boolean, RuntimeException>execute("orders", 42, WAITING, (outer) -> {
			assertThat(LockContext.current()).isSameAs(outer);
			return this.first.locks().<Boolean, RuntimeException>execute("orders", 42, WAITING, (inner) -> {
				assertThat(LockContext.current()).isSameAs(inner);
				return inner.token() == outer.token();
			}) && this.second.locks().tryLock("orders", 42).isEmpty() && outer.isValid();
		});
		assertThat(same).isTrue();
		assertThat(this.first.scripts() - before).isEqualTo(2);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(LockContext::current);
	}

	@Test
	@Wide
	void locksThatAreCarriedToAnotherThreadAreEnteredThereWithoutCommands() {
		this.first.locks().<Void, RuntimeException>execute("orders", 42, WAITING, (outer) -> {
			int before = this.first.scripts();
			LockContext.Carrier carrier = LockContext.capture();
			this.first.async(() -> {
				carrier
					.wrap(() -> this.first.locks().<Void, RuntimeException>execute("orders", 42, WAITING, (inner) -> {
						assertThat(inner.token()).isEqualTo(outer.token());
						return null;
					}))
					.run();
				return null;
			}).orTimeout(5, TimeUnit.SECONDS).join();
			assertThat(this.first.scripts()).isEqualTo(before);
			assertThat(outer.isValid()).isTrue();
			assertThat(this.first.async(() -> this.first.locks().tryLock("orders", 42)).join()).isEmpty();
			return null;
		});
	}

	@Test
	void releaseWakesExactlyOneWaitingInstanceWithOneMessage() {
		try (LockApplication third = LockApplication.start(this.redis.properties(), PATIENT);
				Messages messages = new Messages(this.redis.connectionFactory())) {
			LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
			CompletableFuture<LockHandle> two = waitIn(this.second);
			awaitQueued("{orders:42}", 1);
			CompletableFuture<LockHandle> three = waitIn(third);
			awaitQueued("{orders:42}", 2);
			Awaitility.await().until(() -> this.second.scripts() > 0 && third.scripts() > 0);
			long started = System.nanoTime();
			int before = third.scripts();
			int asked = this.second.scripts();
			held.close();
			LockHandle next = two.orTimeout(5, TimeUnit.SECONDS).join();
			int commands = this.second.scripts() - asked;
			// One that confirms the grant, and those that were due each second
			long seconds = Duration.ofNanos(System.nanoTime() - started).toMillis() / 900;
			assertThat((long) commands).as("commands of who was granted the lock").isLessThanOrEqualTo(2 + seconds);
			assertThat(next.isValid()).isTrue();
			assertThat(three).isNotDone();
			messages.await(1);
			assertThat(messages.aboutLocks()).hasSize(1);
			assertThat(messages.aboutLocks().get(0)).startsWith("lock.grant ");
			int questions = third.scripts() - before;
			long due = Duration.ofNanos(System.nanoTime() - started).toMillis() / 900;
			assertThat((long) questions).as("who waits asks once a second").isLessThanOrEqualTo(1 + due);
			next.close();
			three.orTimeout(5, TimeUnit.SECONDS).join().close();
			messages.await(2);
			assertThat(messages.aboutLocks()).hasSize(2);
		}
	}

	@Test
	void grantedLockHasItsOwnLease() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<LockHandle> waiting = waitIn(this.second);
		awaitQueued("{orders:42}", 1);
		held.close();
		LockHandle next = waiting.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(next.remaining()).isGreaterThan(RedisLocks.GRANT.multipliedBy(2));
		assertThat(next.isValid()).isTrue();
		next.close();
		assertThat(this.second.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void lockThatGoesBackAndForthIsNotTakenForLost() {
		CountDownLatch over = new CountDownLatch(2);
		List<CompletableFuture<Void>> working = new ArrayList<>();
		for (LockApplication application : List.of(this.first, this.second)) {
			working.add(application.async(() -> {
				// Until the other one has had as many turns
				for (int sections = 1; over.getCount() > 0; sections++) {
					application.locks().lock("orders", 42, WAITING).close();
					if (sections == 1500) {
						over.countDown();
					}
				}
				return null;
			}));
		}
		CompletableFuture.allOf(working.toArray(CompletableFuture[]::new)).orTimeout(180, TimeUnit.SECONDS).join();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
		assertThat(this.second.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void callersOfOneInstanceFollowEachOtherWithoutCommands() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		List<Long> tokens = new ArrayList<>();
		List<CompletableFuture<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			waiting.add(this.first.async(() -> {
				try (LockHandle lock = this.first.locks().lock("orders", 42, WAITING)) {
					tokens.add(lock.token());
				}
				return null;
			}));
		}
		Awaitility.await().until(() -> this.first.waiting() == 50);
		int before = this.first.scripts();
		long started = System.nanoTime();
		held.close();
		CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).orTimeout(20, TimeUnit.SECONDS).join();
		long tenures = 1 + (System.nanoTime() - started) / LockLease.LONGEST_NANOS;
		assertThat(tokens).hasSize(50).isSorted().doesNotHaveDuplicates();
		assertThat(tokens.get(0)).isGreaterThan(held.token());
		// For each one release, and questions if others have asked meanwhile
		assertThat((long) this.first.scripts() - before).isLessThanOrEqualTo(2 * (1 + tenures));
		assertThat(this.second.locks().tryLock("orders", 42)).isPresent();
	}

	@Test
	void instanceWithManyCallersDoesNotKeepTheLockFromOthers(TestReporter figures) {
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<Void>> busy = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			busy.add(this.first.async(() -> {
				while (!over.get()) {
					this.first.locks().lock("orders", 42, WAITING).close();
				}
				return null;
			}));
		}
		Duration longest = Duration.ZERO;
		int askedAgain = 0;
		for (int i = 0; i < 20; i++) {
			int before = this.second.scripts();
			Stopwatch watch = Stopwatch.start();
			LockHandle lock = this.second.locks().lock("orders", 42, WAITING);
			askedAgain += (this.second.scripts() - before > 2) ? 1 : 0;
			lock.close();
			Duration waited = watch.elapsed();
			longest = (waited.compareTo(longest) > 0) ? waited : longest;
		}
		over.set(true);
		CompletableFuture.allOf(busy.toArray(CompletableFuture[]::new)).orTimeout(20, TimeUnit.SECONDS).join();
		figures.publishEntry("longest wait beside a busy instance", longest.toString());
		// Who waits asks again after most of a second
		assertThat(askedAgain).isLessThan(5);
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void callerWhoseInstanceHandsOnStillWaitsNoLongerThanItWants() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<LockHandle> remote = waitIn(this.second);
		awaitQueued("{orders:42}", 1);
		CompletableFuture<Optional<LockHandle>> local = this.first.async(() -> this.first.locks()
			.tryLock("orders", 42, LockOptions.defaults().waitTime(Duration.ofMillis(600))));
		Awaitility.await().until(() -> this.first.waiting() == 1 || local.isDone());
		held.close();
		LockHandle next = remote.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(local.orTimeout(5, TimeUnit.SECONDS).join()).isEmpty();
		awaitQueued("{orders:42}", 0);
		assertThat(this.first.waiting()).isZero();
		next.close();
	}

	@Test
	@Wide
	void callerBehindALostLockAsksForItself() {
		LockHandle held = this.first.locks()
			.lock("orders", 42, LockOptions.defaults().leaseTime(Duration.ofMillis(2500)).renew(false));
		CompletableFuture<LockHandle> waiting = waitIn(this.first);
		LockHandle next = waiting.orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(held.isValid()).isFalse();
		assertThat(next.token()).isGreaterThan(held.token());
		held.close();
		assertThat(next.isValid()).isTrue();
		assertThat(this.second.locks().tryLock("orders", 42)).isEmpty();
		next.close();
	}

	@Test
	void severalKeysAreLockedTogetherOrNotAtAll() {
		LockHandle other = this.second.locks().lock("orders", "b", WAITING);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.first.locks().lockAll("orders", List.of("c", "b", "a"), LockOptions.defaults()));
		this.second.locks().lock("orders", "a", WAITING).close();
		this.second.locks().lock("orders", "c", WAITING).close();
		other.close();
		int before = this.first.scripts();
		MultiLockHandle all = this.first.locks().lockAll("orders", List.of("c", "b", "a", "c"), WAITING);
		assertThat(this.first.scripts() - before).isEqualTo(3);
		for (String key : List.of("a", "b", "c")) {
			assertThat(this.second.locks().tryLock("orders", key)).as(key).isEmpty();
		}
		assertThat(all.isValid()).isTrue();
		assertThat(all.remaining()).isPositive();
		assertThat(all.token()).isEqualTo(all.token("a")).isNotEqualTo(all.token("b"));
		assertThat(all.token("b")).isGreaterThan(other.token());
		assertThatIllegalArgumentException().isThrownBy(() -> all.token("d"));
		all.close();
		assertThat(this.first.scripts() - before).isEqualTo(6);
		assertThat(all.isValid()).isFalse();
		this.second.locks().tryLock("orders", "b").orElseThrow().close();
	}

	@Test
	void severalKeysShareOneWait() {
		LockHandle a = this.second.locks().lock("orders", "a", WAITING);
		LockHandle b = this.second.locks().lock("orders", "b", WAITING);
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Void> freed = this.second.async(() -> {
			Awaitility.await().until(() -> this.first.waiting() == 1 || over.get());
			a.close();
			return null;
		});
		long started = System.nanoTime();
		Stopwatch watch = Stopwatch.start();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.first.locks()
			.lockAll("orders", List.of("a", "b"), LockOptions.defaults().waitTime(Duration.ofMillis(900))));
		assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofMillis(890));
		assertThat(watch.elapsed()).isLessThanOrEqualTo(Duration.ofSeconds(5));
		over.set(true);
		freed.join();
		b.close();
	}

	@Test
	@Sized
	void callersOfOverlappingKeysInAnyOrderAllGetThem() {
		List<List<String>> wishes = List.of(List.of("a", "b"), List.of("b", "c"), List.of("c", "a"),
				List.of("c", "b", "a"));
		java.util.Map<String, int[]> unprotected = java.util.Map.of("a", new int[1], "b", new int[1], "c", new int[1]);
		int rounds = Wide.RUN ? 15 : 5;
		List<CompletableFuture<Void>> workers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			List<String> keys = wishes.get(i);
			LockApplication application = (i % 2 == 0) ? this.first : this.second;
			workers.add(application.async(() -> {
				for (int round = 0; round < rounds; round++) {
					application.locks().<Void, RuntimeException>executeAll("orders", keys, WAITING, (lock) -> {
						keys.forEach((key) -> {
							int seen = unprotected.get(key)[0];
							Thread.yield();
							unprotected.get(key)[0] = seen + 1;
						});
						return null;
					});
				}
				return null;
			}));
		}
		CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(unprotected.values()).allSatisfy((count) -> assertThat(count[0]).isEqualTo(3 * rounds));
	}

	@Test
	void handleOfSeveralKeysIsLostWithOneOfThem() {
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofSeconds(9));
		MultiLockHandle all = this.first.locks().lockAll("orders", List.of("a", "b"), options);
		RedisLocks locks = new RedisLocks(this.first.backend());
		// As if an operator had released one of them
		assertThat(locks.force(locks.key("orders", List.of("b"))).join()).isTrue();
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !all.isValid());
		assertThat(all.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::assertHeld);
		assertThat(this.second.locks().tryLock("orders", "a")).isEmpty();
		all.close();
		this.second.locks().lock("orders", "a", WAITING).close();
	}

	@Test
	void forcedReleaseInformsTheHolderAndServesTheNext() {
		LockHandle held = this.first.locks().lock("orders", 42, WAITING);
		CompletableFuture<LockHandle> waiting = waitIn(this.second);
		awaitQueued("{orders:42}", 1);
		RedisLocks locks = new RedisLocks(this.second.backend());
		RedisLockKey key = locks.key("orders", List.of("42"));
		LockState state = locks.look(key).join();
		assertThat(state.held()).isTrue();
		assertThat(state.holder()).isEqualTo(this.first.backend().bus().channel());
		assertThat(state.token()).isEqualTo(held.token());
		assertThat(state.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
		assertThat(state.age()).isLessThan(Duration.ofMinutes(1));
		assertThat(state.waiters()).isEqualTo(1);
		assertThat(locks.force(key).join()).isTrue();
		LockHandle next = waiting.orTimeout(5, TimeUnit.SECONDS).join();
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !held.isValid());
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("orders", held.token(), LockLostEvent.Cause.NOT_OWNER)));
		held.close();
		assertThat(next.isValid()).isTrue();
		next.close();
		assertThat(locks.force(key).join()).isFalse();
		assertThat(locks.look(key).join().held()).isFalse();
	}

	@Test
	void forcedReleaseEndsAShortestHold() {
		this.first.locks().lock("orders", 42, LockOptions.defaults().atLeastFor(Duration.ofMinutes(1))).close();
		RedisLocks locks = new RedisLocks(this.second.backend());
		RedisLockKey key = locks.key("orders", List.of("42"));
		assertThat(locks.look(key).join().holder()).isEqualTo(this.first.backend().bus().channel());
		assertThat(locks.force(key).join()).isTrue();
		this.second.locks().tryLock("orders", 42).orElseThrow().close();
	}

	@Test
	@Wide
	void leasesOfManyLocksAreExtendedTogether() {
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofSeconds(3));
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			held.add(this.first.locks().lock("many", i, options));
		}
		// The first extensions bring them together
		long acquired = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - acquired > 2_500_000_000L);
		int scripts = this.first.scripts();
		long started = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - started > 3_000_000_000L);
		int slots = (this.primaries.size() > 1) ? 300 : 1;
		long sent = this.first.scripts() - scripts;
		long leases = (System.nanoTime() - started) / 3_000_000_000L;
		assertThat(sent).isLessThanOrEqualTo(8 * slots * leases);
		assertThat(held).allMatch(LockHandle::isValid);
		held.forEach(LockHandle::close);
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void handsOverPromptly(TestReporter figures) {
		List<Long> tokens = new ArrayList<>();
		List<Duration> delays = new ArrayList<>();
		int askedAgain = 0;
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		for (int i = 0; i < 30; i++) {
			tokens.add(held.token());
			LockApplication next = (i % 2 == 0) ? this.second : this.first;
			int before = next.scripts();
			AtomicReference<Stopwatch> released = new AtomicReference<>();
			CompletableFuture<Duration> delay = new CompletableFuture<>();
			CompletableFuture<Integer> asked = new CompletableFuture<>();
			CompletableFuture<LockHandle> waiting = waitIn(next).whenComplete((lock, failure) -> {
				asked.complete(next.scripts() - before);
				delay.complete(released.get().elapsed());
			});
			awaitQueued("{orders:42}", 1);
			released.set(Stopwatch.start());
			held.close();
			held = waiting.orTimeout(5, TimeUnit.SECONDS).join();
			delays.add(delay.join());
			askedAgain += (asked.join() > 2) ? 1 : 0;
		}
		held.close();
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		delays.sort(null);
		Duration p95 = delays.get(delays.size() * 95 / 100);
		figures.publishEntry("lock hand-over, p95 of " + delays.size(), p95.toString());
		// Who waits asks again after most of a second
		assertThat(askedAgain).isLessThan(5);
	}

	@Test
	@Wide
	void waiterAsksAtMostOnceASecond() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		int asleep = this.second.scripts();
		CompletableFuture<LockHandle> waiting = waitIn(this.second);
		awaitQueued("{orders:42}", 1);
		// Redis knows of the first question before its answer is counted here
		Awaitility.await().until(() -> this.second.scripts() > asleep);
		long started = System.nanoTime();
		int before = this.second.scripts();
		Awaitility.await().until(() -> this.second.scripts() - before >= 4);
		assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
		held.close();
		waiting.orTimeout(5, TimeUnit.SECONDS).join().close();
	}

	@Test
	void waitersOfOneInstanceAskAsOne() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		long started = System.nanoTime();
		int before = this.second.scripts();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiting.add(waitIn(this.second));
			int expected = i + 1;
			Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> this.second.waiting() == expected);
		}
		awaitQueued("{orders:42}", 1);
		int questions = this.second.scripts() - before;
		long seconds = Duration.ofNanos(System.nanoTime() - started).toSeconds();
		assertThat((long) questions).isLessThanOrEqualTo(2 + 2 * seconds);
		held.close();
		long last = held.token();
		for (CompletableFuture<LockHandle> next : waiting) {
			LockHandle lock = next.orTimeout(5, TimeUnit.SECONDS).join();
			assertThat(lock.token()).isGreaterThan(last);
			last = lock.token();
			lock.close();
		}
		assertThat(this.second.waiting()).isZero();
	}

	@Test
	void waitTimeBoundsTheWait() {
		try (LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow()) {
			long started = System.nanoTime();
			Stopwatch watch = Stopwatch.start();
			Optional<LockHandle> none = this.second.locks()
				.tryLock("orders", 42, LockOptions.defaults().waitTime(Duration.ofMillis(300)));
			assertThat(none).isEmpty();
			assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(3));
			assertThat(held.isValid()).isTrue();
		}
		awaitQueued("{orders:42}", 0);
		assertThat(this.second.waiting()).isZero();
	}

	@Test
	void instanceWhoseWaiterGaveUpHandsOnAtOnce() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		// As if the second instance's goodbye had been lost
		assertThat(ask(new RedisLocks(this.second.backend()), "gone").tokens()).isNull();
		awaitQueued("{orders:42}", 1);
		CompletableFuture<LockHandle> waiting = waitIn(this.first);
		Awaitility.await().until(() -> this.first.waiting() == 1);
		Stopwatch watch = Stopwatch.start();
		held.close();
		waiting.orTimeout(5, TimeUnit.SECONDS).join().close();
		assertThat(watch.elapsed()).isLessThan(RedisLocks.GRANT);
	}

	private static LockAnswer ask(RedisLocks locks, String handle) {
		return ask(locks, locks.key("orders", List.of("42")), handle, true);
	}

	@Test
	void messageAloneGrantsNothing() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<LockHandle> waiting = waitIn(this.second);
		awaitQueued("{orders:42}", 1);
		int asked = this.second.scripts();
		// Somebody who can read everything, and may not write
		this.second.tell("lock.grant " + String.valueOf(command("HVALS", "ge:lock:{orders:42}:d1")).split(" ")[1]
				+ " ge:lock:{orders:42}");
		Awaitility.await().until(() -> this.second.scripts() > asked || waiting.isDone());
		this.first.tell("lock.grant " + handleOf("{orders:42}") + " ge:lock:{orders:42}");
		assertThat(waiting).isNotDone();
		assertThat(this.second.locks().tryLock("orders", 42)).isEmpty();
		assertThat(held.isValid()).isTrue();
		held.close();
		LockHandle next = waiting.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(next.token()).isGreaterThan(held.token());
		next.close();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void foreignTokenFailsItsLockAndNoOther() {
		long farAhead = micros() + Duration.ofHours(25).toNanos() / 1000;
		for (String foreign : List.of("9007199254740991", "nan", "inf", "1e300", "x", String.valueOf(farAhead))) {
			command("SET", "ge:lock:{orders:42}:f1", foreign, "PX", "60000");
			for (LockMode mode : LockMode.values()) {
				assertThatExceptionOfType(RedisUnavailableException.class)
					.isThrownBy(() -> this.first.locks().tryLock("orders", 42, LockOptions.defaults().mode(mode)))
					.withMessageContaining("ge:lock:{orders:42}:f1 holds " + foreign)
					.withMessageContaining("delete this key");
			}
			assertTokensNearTime();
		}
		command("DEL", "ge:lock:{orders:42}:f1");
		this.first.locks().tryLock("orders", 42).orElseThrow().close();
		// As after a failover to a server whose clock stands an hour behind
		command("SET", "ge:lock:{orders:42}:f1", String.valueOf(micros() + 3_600_000_000L), "PX", "60000");
		try (LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow()) {
			assertThat(held.token()).isGreaterThan(micros() + 3_500_000_000L);
		}
	}

	@Test
	@Wide
	void foreignTokenOfAHandleOrAWaiterIsNotRemembered() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<LockHandle> waiting = waitIn(this.second);
		awaitQueued("{orders:42}", 1);
		command("HSET", "ge:lock:{orders:42}:d1", this.second.backend().bus().channel(),
				String.valueOf(command("HVALS", "ge:lock:{orders:42}:d1")).replaceAll("\\[|\\d+]", "")
						+ "9007199254740991");
		held.close();
		LockHandle next = waiting.orTimeout(10, TimeUnit.SECONDS).join();
		assertThat(next.token()).isLessThan(micros() + 60_000_000);
		next.close();
		RedisLocks locks = new RedisLocks(this.first.backend());
		RedisLockKey key = locks.key("orders", List.of("42"));
		assertThat(ask(locks, key, "h1", false).tokens()).isNotNull();
		command("SET", "ge:lock:{orders:42}", this.first.backend().bus().channel() + " h1 1 9007199254740991", "PX",
				"60000");
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> ask(locks, key, "h1", false))
			.withMessageContaining("ge:lock:{orders:42} holds ");
		assertThat(locks.highestToken().get()).isLessThan(micros() + 60_000_000);
		assertTokensNearTime();
	}

	private void assertTokensNearTime() {
		for (LockApplication application : List.of(this.first, this.second)) {
			for (LockMode mode : LockMode.values()) {
				try (LockHandle other = application.locks()
					.tryLock("orders", 43, LockOptions.defaults().mode(mode))
					.orElseThrow()) {
					assertThat(other.token()).isLessThan(micros() + 60_000_000);
				}
			}
		}
	}

	/**
	 * The time as the servers of a test have it, in microseconds.
	 */
	private static long micros() {
		return System.currentTimeMillis() * 1000;
	}

	@Test
	void handlesCannotBeGuessed() {
		List<String> handles = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			try (LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow()) {
				handles.add(handleOf("{orders:42}"));
				assertThat(held.isValid()).isTrue();
			}
		}
		assertThat(handles).doesNotHaveDuplicates().allMatch((handle) -> handle.matches("[0-9a-f]{24}"));
	}

	private String handleOf(String entity) {
		return String.valueOf(command("GET", "ge:lock:" + entity)).split(" ")[1];
	}

	@Test
	void tokensRiseOverLossOfAllData() {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			LockApplication application = (i % 2 == 0) ? this.first : this.second;
			try (LockHandle lock = application.locks().lock("orders", 42, WAITING)) {
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
	void askingAgainWithSameHandleGivesSameTokens() {
		RedisLocks locks = new RedisLocks(this.first.backend());
		RedisLockKey key = locks.key("orders", List.of("42"));
		LockAnswer answer = ask(locks, key, "h1", false);
		assertThat(answer.tokens()).isNotNull();
		assertThat(ask(locks, key, "h1", true)).isEqualTo(answer);
		assertThat(ask(locks, key, "h2", false).tokens()).isNull();
		assertThat(release(locks, key, "h2")).isFalse();
		assertThat(renew(locks, key, "h2")).isFalse();
		assertThat(renew(locks, key, "h1")).isTrue();
		assertThat(release(locks, key, "h1")).isTrue();
		assertThat(release(locks, key, "h1")).isFalse();
		assertThat(renew(locks, key, "h1")).isFalse();
	}

	private static LockAnswer ask(RedisLocks locks, RedisLockKey key, String handle, boolean waits) {
		LockSettings settings = new LockSettings("orders", Duration.ZERO, Duration.ofSeconds(30), true,
				OutagePolicy.DENY, null, Duration.ZERO, OnLost.EVENT, 0, Duration.ofMillis(50), LockMode.EXCLUSIVE, 1);
		return locks.acquire(key, handle, settings, waits, locks.newBudget()).join();
	}

	private static boolean release(RedisLocks locks, RedisLockKey key, String handle) {
		return locks.release(key, handle, null, Duration.ZERO, Duration.ZERO, locks.newBudget()).join().mine();
	}

	private static boolean renew(RedisLocks locks, RedisLockKey key, String handle) {
		CompletableFuture<Boolean> mine = new CompletableFuture<>();
		locks.renew(List.of(new LeaseRenewal(key, handle, Duration.ofSeconds(30), null)),
				(renewal, extended) -> mine.complete(extended),
				(renewal) -> mine.completeExceptionally(new IllegalStateException("not answered")));
		return mine.orTimeout(5, TimeUnit.SECONDS).join();
	}

	@Test
	void leaseIsExtendedWhileHeld() {
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofMillis(4500));
		LockHandle held = this.first.locks().lock("orders", 42, options);
		int before = this.first.scripts();
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> this.first.scripts() - before >= 4);
		assertThat(held.isValid()).isTrue();
		assertThat(this.second.locks().tryLock("orders", 42, options)).isEmpty();
		held.close();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void leaseThatIsNotExtendedEndsForHolderFirst() {
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofMillis(2500)).renew(false);
		LockHandle held = this.first.locks().lock("orders", 42, options);
		LockHandle next = this.second.locks().lock("orders", 42, WAITING);
		assertThat(held.isValid()).isFalse();
		assertThat(held.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::assertHeld);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("orders", held.token(), LockLostEvent.Cause.EXPIRED)));
		held.close();
		assertThat(next.isValid()).isTrue();
		assertThat(this.first.locks().tryLock("orders", 42)).isEmpty();
		next.close();
	}

	@Test
	void leaseIsNotExtendedBeyondLongestHold() {
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofMillis(3600)).maxHold(Duration.ofSeconds(5));
		long started = System.nanoTime();
		LockHandle held = this.first.locks().lock("orders", 42, options);
		LockHandle next = this.second.locks().lock("orders", 42, WAITING);
		Duration after = Duration.ofNanos(System.nanoTime() - started);
		assertThat(held.isValid()).isFalse();
		assertThat(after).isBetween(Duration.ofMillis(4900), Duration.ofMillis(9600));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("orders", held.token(), LockLostEvent.Cause.EXPIRED)));
		held.close();
		assertThat(next.isValid()).isTrue();
		next.close();
	}

	@Test
	void lockStaysTakenForItsShortestHold() {
		LockOptions options = LockOptions.defaults().atLeastFor(Duration.ofMillis(1500));
		long started = System.nanoTime();
		LockHandle held = this.first.locks().lock("orders", 42, options);
		CompletableFuture<LockHandle> here = waitIn(this.first);
		Awaitility.await().until(() -> this.first.waiting() == 1);
		held.close();
		assertThat(held.isValid()).isFalse();
		Optional<LockHandle> there = this.second.locks().tryLock("orders", 42);
		boolean early = there.isPresent() || here.isDone();
		assertThat(early && System.nanoTime() - started < 1_490_000_000L).isFalse();
		there.ifPresent(LockHandle::close);
		LockHandle next = here.orTimeout(5, TimeUnit.SECONDS).join();
		assertThat(Duration.ofNanos(System.nanoTime() - started)).isGreaterThanOrEqualTo(Duration.ofMillis(1490));
		assertThat(next.token()).isGreaterThan(held.token());
		next.close();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@Wide
	void holderLearnsThatItsKeyIsGone() {
		LockHandle held = this.first.locks()
			.lock("orders", 42, LockOptions.defaults().leaseTime(Duration.ofSeconds(9)));
		this.redis.flushAll();
		Awaitility.await().atMost(Duration.ofSeconds(8)).until(() -> !held.isValid());
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.first.events(LockLostEvent.class))
				.containsExactly(new LockLostEvent("orders", held.token(), LockLostEvent.Cause.NOT_OWNER)));
		held.close();
		assertThat(this.first.events(LockLostEvent.class)).hasSize(1);
	}

	@Test
	void lossIsToldAtReleaseAtTheLatest() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		this.redis.flushAll();
		LockHandle other = this.second.locks().tryLock("orders", 42).orElseThrow();
		held.close();
		assertThat(this.first.events(LockLostEvent.class)).hasSize(1);
		assertThat(this.first.locks().tryLock("orders", 42)).isEmpty();
		other.close();
	}

	@Test
	void noTwoHoldersAtATimeAndEveryoneGetsItsTurn() {
		int rounds = 25;
		int[] unprotected = new int[1];
		List<Long> tokens = new ArrayList<>();
		CountDownLatch start = new CountDownLatch(1);
		List<CompletableFuture<Void>> workers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockApplication application = (i % 2 == 0) ? this.first : this.second;
			workers.add(application.async(() -> {
				awaitLatch(start);
				for (int round = 0; round < rounds; round++) {
					application.locks().<Void, RuntimeException>execute("orders", 42, WAITING, (lock) -> {
						int seen = unprotected[0];
						tokens.add(lock.token());
						Thread.yield();
						unprotected[0] = seen + 1;
						return null;
					});
				}
				return null;
			}));
		}
		start.countDown();
		CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(unprotected[0]).isEqualTo(8 * rounds);
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
		assertThat(this.second.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	void interruptEndsTheWaitAndLeavesNothingBehind() throws Exception {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			try {
				this.second.locks().lock("orders", 42, WAITING).close();
				interrupted.complete(false);
			}
			catch (LockInterruptedException ex) {
				interrupted.complete(Thread.currentThread().isInterrupted());
			}
		});
		waiter.start();
		awaitQueued("{orders:42}", 1);
		waiter.interrupt();
		assertThat(interrupted.get(5, TimeUnit.SECONDS)).isTrue();
		awaitQueued("{orders:42}", 0);
		held.close();
		this.second.locks().tryLock("orders", 42).orElseThrow().close();
	}

	@Test
	void waiterThatGivesUpAtTheMomentOfTheGrantLosesNothing() throws Exception {
		int acquired = 0;
		for (int i = 0; i < 30; i++) {
			LockHandle held = this.first.locks().lock("orders", 42, WAITING);
			CompletableFuture<Boolean> outcome = new CompletableFuture<>();
			Thread waiter = new Thread(() -> {
				try {
					this.second.locks().lock("orders", 42, WAITING).close();
					outcome.complete(true);
				}
				catch (LockInterruptedException ex) {
					outcome.complete(false);
				}
			});
			waiter.start();
			Awaitility.await()
				.pollInterval(Duration.ofMillis(1))
				.until(() -> this.second.waiting() == 1 && waiter.getState() == Thread.State.WAITING);
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
			this.first.locks().lock("orders", 42, WAITING).close();
			assertThat(watch.elapsed()).as("round %d", i).isLessThan(RedisLocks.GRANT.minusMillis(200));
		}
		assertThat(acquired).isLessThan(30);
		awaitQueued("{orders:42}", 0);
	}

	@Test
	void closedApplicationLeavesLocksAndQueuesToOthers() {
		LockHandle held = this.first.locks().tryLock("orders", 42).orElseThrow();
		CompletableFuture<Optional<LockHandle>> waiting = this.second
			.async(() -> this.second.locks().tryLock("orders", 42, WAITING));
		awaitQueued("{orders:42}", 1);
		this.second.close();
		assertThat(waiting.orTimeout(5, TimeUnit.SECONDS).join()).isEmpty();
		awaitQueued("{orders:42}", 0);
		held.close();
		this.first.locks().tryLock("orders", 42).orElseThrow().close();
	}

	@Test
	@Wide
	void refusesKeysThatNameNothingAndOptionsThatCannotWork() {
		DistributedLocks locks = this.first.locks();
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> locks.tryLock("orders", " "))
			.withMessageContaining("orders");
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> locks.tryLock("orders", List.of()));
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> locks.tryLock("orders", 42, LockOptions.defaults().leaseTime(Duration.ZERO)))
			.withMessageContaining("100ms");
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> locks.tryLock("orders", 42, LockOptions.defaults().waitTime(Duration.ofSeconds(-1))));
	}

	private static CompletableFuture<LockHandle> waitIn(LockApplication application) {
		return application.async(() -> application.locks().lock("orders", 42, WAITING));
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void destroy(RedisConnectionFactory factory) {
		try {
			((org.springframework.beans.factory.DisposableBean) factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Listens to what is said to instances.
	 */
	private static final class Messages implements AutoCloseable {

		private final List<String> aboutLocks = new java.util.concurrent.CopyOnWriteArrayList<>();

		private final RedisConnectionFactory factory;

		private final org.springframework.data.redis.listener.RedisMessageListenerContainer container = new org.springframework.data.redis.listener.RedisMessageListenerContainer();

		Messages(RedisConnectionFactory factory) {
			this.factory = factory;
			this.container.setConnectionFactory(factory);
			this.container.addMessageListener((message, pattern) -> {
				String text = new String(message.getBody());
				if (text.startsWith("lock")) {
					this.aboutLocks.add(text);
				}
			}, new org.springframework.data.redis.listener.PatternTopic("ge:bus:*"));
			this.container.afterPropertiesSet();
			this.container.start();
		}

		List<String> aboutLocks() {
			return this.aboutLocks;
		}

		void await(int count) {
			Awaitility.await("messages").until(() -> this.aboutLocks.size() >= count);
		}

		@Override
		public void close() {
			this.container.stop();
			try {
				this.container.destroy();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			DistributedLocksContract.destroy(this.factory);
		}

	}

}
