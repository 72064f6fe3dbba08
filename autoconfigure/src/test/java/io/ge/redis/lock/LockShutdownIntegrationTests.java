/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The next instance has the lock of one that is closed, or what that one has waited for,
 * as soon as it is closed. Leases are 30 seconds, a grant is free again after two and
 * waiters ask once a second, so none of that was waited for.
 */
class LockShutdownIntegrationTests {

	private static final LockOptions WAITING = LockOptions.defaults().waitTime(Duration.ofSeconds(60));

	private static final Duration SOON = Duration.ofMillis(100);

	/** Half of what the work of an application has to finish when that is closed. */
	private static final Duration FINISHING = Duration.ofMillis(50);

	/** A busy machine is no outage. */
	private static final String[] PATIENT = { "ge.redis.outage.command-timeout=5s" };

	private final List<AutoCloseable> opened = new ArrayList<>();

	private StandaloneRedis redis;

	private LockApplication next;

	@BeforeEach
	void start() {
		this.redis = open(RedisServers.standalone());
		this.next = application("lettuce");
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	private <T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

	private LockApplication application(String driver, Class<?>... beans) {
		LockApplication application = open(LockApplication.start(this.redis.properties(),
				new String[] { PATIENT[0], "spring.data.redis.client-type=" + driver }, beans));
		application.locks().lock("warm", "up", WAITING).close();
		return application;
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void nextInstanceHasTheLockOfWorkThatIsFinishedWhileClosing(String driver) {
		LockApplication closing = application(driver, LockShutdownApplication.Tasks.class);
		CompletableFuture<Stopwatch> finished = closing.get(LockShutdownApplication.Tasks.class)
			.holdUntilClosing("42")
			.thenApply((done) -> Stopwatch.start());
		CompletableFuture<Duration> taken = waitIn(this.next, 1).thenCombine(finished,
				(lock, watch) -> watch.elapsed());
		closing.close();
		assertThat(taken.orTimeout(20, TimeUnit.SECONDS).join()).isLessThan(SOON);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void nextInstanceHasTheLockThatAClosedOneHasWaitedForFirst(String driver) {
		LockApplication closing = application(driver);
		LockApplication holder = application("lettuce");
		LockHandle held = holder.locks().lock("orders", "42", WAITING);
		CompletableFuture<Optional<LockHandle>> first = closing
			.async(() -> closing.locks().tryLock("orders", "42", WAITING));
		awaitQueued(1);
		CompletableFuture<LockHandle> second = waitIn(this.next, 2);
		closing.close();
		assertThat(first.orTimeout(5, TimeUnit.SECONDS).join()).isEmpty();
		Stopwatch watch = Stopwatch.start();
		held.close();
		second.orTimeout(20, TimeUnit.SECONDS).join();
		assertThat(watch.elapsed()).isLessThan(SOON);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void nextInstanceHasTheLockThatWasGrantedToOneThatIsBeingClosed(String driver) {
		LockApplication holder = application("lettuce");
		for (int round = 0; round < 12; round++) {
			LockApplication closing = application(driver);
			LockHandle held = holder.locks().lock("orders", "42", WAITING);
			AtomicReference<Duration> age = new AtomicReference<>(Duration.ZERO);
			CompletableFuture<Boolean> first = closing.async(() -> takeAndGiveUp(closing, "42", WAITING, age));
			awaitQueued(1);
			CompletableFuture<LockHandle> second = waitIn(this.next, 2);
			long pause = 400_000L * (round % 6);
			CompletableFuture<Void> release = holder.async(() -> {
				LockSupport.parkNanos(pause);
				held.close();
				return null;
			});
			closing.close();
			release.join();
			Stopwatch watch = Stopwatch.start();
			LockHandle lock = second.orTimeout(60, TimeUnit.SECONDS).join();
			assertSoon(watch.elapsed(), age.get(), "round " + round);
			lock.close();
			first.orTimeout(5, TimeUnit.SECONDS).join();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void nextInstanceHasTheLockThatOneThatIsBeingClosedIsAskingFor(String driver) {
		for (int round = 0; round < 12; round++) {
			LockApplication closing = application(driver);
			List<CompletableFuture<Boolean>> attempts = new ArrayList<>();
			List<AtomicReference<Duration>> ages = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				LockOptions options = (i % 2 == 0) ? WAITING : LockOptions.defaults();
				String key = String.valueOf(i);
				AtomicReference<Duration> age = new AtomicReference<>(Duration.ZERO);
				ages.add(age);
				attempts.add(closing.async(() -> {
					boolean held = true;
					while (held) {
						held = takeAndGiveUp(closing, key, options, age);
					}
					return held;
				}));
			}
			LockSupport.parkNanos(300_000L * round);
			closing.close();
			for (int i = 0; i < 8; i++) {
				Stopwatch watch = Stopwatch.start();
				LockHandle lock = this.next.locks().lock("orders", String.valueOf(i), WAITING);
				assertSoon(watch.elapsed(), ages.get(i).get(), "lock " + i + " in round " + round);
				lock.close();
			}
			attempts
				.forEach((attempt) -> attempt.handle((held, failure) -> true).orTimeout(5, TimeUnit.SECONDS).join());
		}
	}

	@Test
	void nextInstanceHasTheLocksOfAProcessThatIsAskedToEnd() {
		try (Instances instances = Instances.of(LockShutdownApplication.class)
			.with(this.redis.properties())
			.with(PATIENT)) {
			Instance process = instances.start();
			process.get("closeOnSignal");
			process.get("work", "42");
			LockHandle held = this.next.locks().lock("orders", "43", WAITING);
			CompletableFuture<String> waiting = process.call("await", "43");
			awaitQueued("43", 1);
			CompletableFuture<LockHandle> successor = waitIn(this.next, 1);
			CompletableFuture<Stopwatch> ended = process.terminate().thenApply((end) -> Stopwatch.start());
			successor.orTimeout(30, TimeUnit.SECONDS).join();
			assertThat(ended.isDone() ? ended.join().elapsed() : Duration.ZERO).isLessThan(SOON);
			ended.orTimeout(30, TimeUnit.SECONDS).join();
			assertThat(waiting.handle((over, failure) -> true).orTimeout(5, TimeUnit.SECONDS).join()).isTrue();
			assertThat(this.redis.primary().command("ZCARD", "ge:lock:{orders:43}:q1")).isEqualTo(0L);
			held.close();
			Stopwatch watch = Stopwatch.start();
			this.next.locks().lock("orders", "43", WAITING).close();
			assertThat(watch.elapsed()).isLessThan(SOON);
		}
	}

	/**
	 * @param age takes how old the lock was when it was given up
	 */
	private static boolean takeAndGiveUp(LockApplication application, String key, LockOptions options,
			AtomicReference<Duration> age) {
		Optional<LockHandle> lock = application.locks().tryLock("orders", key, options);
		lock.ifPresent((held) -> {
			age.set(((HeldLock) held).age());
			held.close();
		});
		return lock.isPresent();
	}

	/**
	 * Who is at work under a lock when its application is closed has a tenth of a second
	 * to finish. On a machine where that takes a thread longer which only gives it up,
	 * the lease has to end.
	 */
	private static void assertSoon(Duration waited, Duration age, String what) {
		if (age.compareTo(FINISHING) < 0) {
			assertThat(waited).as(what).isLessThan(SOON);
		}
	}

	private CompletableFuture<LockHandle> waitIn(LockApplication application, int queued) {
		CompletableFuture<LockHandle> waiting = application
			.async(() -> application.locks().lock("orders", "42", WAITING));
		awaitQueued(queued);
		return waiting;
	}

	private void awaitQueued(int instances) {
		awaitQueued("42", instances);
	}

	private void awaitQueued(String key, int instances) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> Long.valueOf(instances)
				.equals(this.redis.primary().command("ZCARD", "ge:lock:{orders:" + key + "}:q1")));
	}

}
