// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.ge.redis.core.guard.PatternLifecycle;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.SmartLifecycle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The next instance has the lock of one that is closed, or what that one has waited for,
 * as soon as it is closed: then nothing in Redis is the closed one's, since it could only
 * expire, which takes 30 seconds.
 */
class LockShutdownIntegrationTests {

	private static final LockOptions WAITING = LockOptions.defaults().waitTime(Duration.ofSeconds(60));

	/** What work has to finish under locks when the application is closed. */
	private static final Duration LAST_WORK = Duration.ofMillis(100);

	private static final int ROUNDS = Wide.RUN ? 12 : 6;

	/** How long closing waits for a server that does not answer. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

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

	static List<String> drivers() {
		return Wide.RUN ? List.of("lettuce", "jedis") : List.of("lettuce");
	}

	@ParameterizedTest
	@MethodSource("drivers")
	@Sized
	void nextInstanceHasTheLockOfWorkThatIsFinishedWhileClosing(String driver) {
		LockApplication closing = application(driver, LockShutdownApplication.Tasks.class);
		closing.get(LockShutdownApplication.Tasks.class).holdUntilClosing("42");
		CompletableFuture<LockHandle> taken = waitIn(this.next, 1);
		String gone = channel(closing);
		assertThat(holder("42")).isEqualTo(gone);
		closing.close();
		assertThat(holder("42")).isNotEqualTo(gone);
		taken.orTimeout(20, TimeUnit.SECONDS).join();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	@Wide
	void nextInstanceHasTheLockThatAClosedOneHasWaitedForFirst(String driver) {
		LockApplication closing = application(driver);
		LockApplication holder = application("lettuce");
		LockHandle held = holder.locks().lock("orders", "42", WAITING);
		CompletableFuture<Optional<LockHandle>> first = closing
			.async(() -> closing.locks().tryLock("orders", "42", WAITING));
		awaitQueued(1);
		CompletableFuture<LockHandle> second = waitIn(this.next, 2);
		String gone = channel(closing);
		closing.close();
		assertThat(first.orTimeout(5, TimeUnit.SECONDS).join()).isEmpty();
		awaitQueued(1);
		held.close();
		assertThat(holder("42")).isNotEqualTo(gone);
		second.orTimeout(20, TimeUnit.SECONDS).join();
	}

	@ParameterizedTest
	@MethodSource("drivers")
	@Sized
	void nextInstanceHasTheLockThatWasGrantedToOneThatIsBeingClosed(String driver) {
		LockApplication holder = application("lettuce");
		int judged = 0;
		for (int round = 0; round < ROUNDS; round++) {
			LockApplication closing = application(driver, Stopped.class);
			Stopped stopped = closing.get(Stopped.class);
			String gone = channel(closing);
			LockHandle held = holder.locks().lock("orders", "42", WAITING);
			Taker taker = new Taker(closing, "42", WAITING);
			CompletableFuture<Boolean> first = closing.async(taker::takeAndGiveUp);
			awaitQueued(1);
			CompletableFuture<LockHandle> second = waitIn(this.next, 2);
			long pause = 400_000L * (round % 6);
			CompletableFuture<Void> release = holder.async(() -> {
				LockSupport.parkNanos(pause);
				held.close();
				return null;
			});
			long began = System.nanoTime();
			closing.close();
			String afterwards = holder("42");
			release.join();
			first.orTimeout(20, TimeUnit.SECONDS).join();
			if (stopped.inTime(began, taker)) {
				judged++;
				assertThat(List.of(afterwards, holder("42"))).as("round " + round).doesNotContain(gone);
			}
			second.orTimeout(60, TimeUnit.SECONDS).join().close();
		}
		assertThat(judged).isPositive();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	@Wide
	void nextInstanceHasTheLockThatOneThatIsBeingClosedIsAskingFor(String driver) {
		int judged = 0;
		for (int round = 0; round < 12; round++) {
			LockApplication closing = application(driver, Stopped.class);
			Stopped stopped = closing.get(Stopped.class);
			List<Taker> takers = new ArrayList<>();
			List<CompletableFuture<Boolean>> attempts = new ArrayList<>();
			for (int i = 0; i < 8; i++) {
				Taker taker = new Taker(closing, String.valueOf(i), (i % 2 == 0) ? WAITING : LockOptions.defaults());
				takers.add(taker);
				attempts.add(closing.async(() -> {
					boolean held = true;
					while (held) {
						held = taker.takeAndGiveUp();
					}
					return held;
				}));
			}
			LockSupport.parkNanos(300_000L * round);
			long began = System.nanoTime();
			closing.close();
			attempts
				.forEach((attempt) -> attempt.handle((held, failure) -> true).orTimeout(20, TimeUnit.SECONDS).join());
			for (Taker taker : takers) {
				if (stopped.inTime(began, taker)) {
					judged++;
					assertThat(this.next.locks().tryLock("orders", taker.key))
						.as("lock " + taker.key + " in round " + round)
						.isPresent()
						.hasValueSatisfying(LockHandle::close);
				}
				else {
					this.next.locks().lock("orders", taker.key, WAITING).close();
				}
			}
		}
		assertThat(judged).isPositive();
	}

	@Test
	@Wide
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
			String gone = holder("42");
			assertThat(gone).isNotEqualTo(channel(this.next));
			process.terminate().orTimeout(30, TimeUnit.SECONDS).join();
			assertThat(holder("42")).isNotEqualTo(gone);
			successor.orTimeout(20, TimeUnit.SECONDS).join();
			assertThat(waiting.handle((over, failure) -> true).orTimeout(5, TimeUnit.SECONDS).join()).isTrue();
			assertThat(this.redis.primary().command("ZCARD", "ge:lock:{orders:43}:q1")).isEqualTo(0L);
			held.close();
			this.next.locks().tryLock("orders", "43").orElseThrow().close();
		}
	}

	private static String channel(LockApplication application) {
		return application.backend().bus().channel();
	}

	/**
	 * Returns the channel of the instance that has a lock, or nothing.
	 */
	private String holder(String key) {
		RedisLocks locks = new RedisLocks(this.next.backend());
		return locks.look(locks.key("orders", List.of(key))).join().holder();
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

	/**
	 * Takes a lock and gives it up.
	 */
	private static final class Taker {

		private final LockApplication application;

		private final String key;

		private final LockOptions options;

		/** When it had given up what it has taken last. */
		private volatile long gaveUp = System.nanoTime();

		Taker(LockApplication application, String key, LockOptions options) {
			this.application = application;
			this.key = key;
			this.options = options;
		}

		boolean takeAndGiveUp() {
			Optional<LockHandle> lock = this.application.locks().tryLock("orders", this.key, this.options);
			lock.ifPresent((held) -> {
				CompletableFuture<Void> released = ((HeldLock) held).release();
				this.gaveUp = System.nanoTime();
				Waiting.await(released);
			});
			return lock.isPresent();
		}

	}

	/**
	 * Notes when the locks of an application have stopped, and its connections have not.
	 */
	static class Stopped implements SmartLifecycle {

		private volatile boolean running;

		private volatile long at;

		/**
		 * Returns whether nothing of what somebody has taken may be left. On a machine
		 * where a thread takes longer than it has at the end which only gives up a lock,
		 * or the server takes longer to answer, the lease has to end.
		 */
		boolean inTime(long began, Taker taker) {
			Duration took = Duration.ofNanos(this.at - began);
			return took.compareTo(PATIENCE) < 0 && (took.compareTo(LAST_WORK) < 0 || taker.gaveUp - this.at < 0);
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.at = System.nanoTime();
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return PatternLifecycle.PHASE - 1;
		}

	}

}
