// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.LockLostEvent;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.lock.MultiLockHandle;
import io.ge.redis.lock.OnLost;
import io.ge.redis.lock.OnNotAcquired;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DistributedLock} on the methods of beans.
 */
@OnRedis
class LockedMethodsIntegrationTests {

	/** Is to end while its holder works, and not before a busy machine lets it begin. */
	private static final Duration LEASE = Duration.ofMillis(2500);

	private LockApplication first;

	private LockApplication second;

	private Desk desk;

	private Desk otherDesk;

	@BeforeEach
	void start(RedisFixture redis) {
		// A busy machine is no outage
		String[] properties = { "ge.redis.lock.locks.tuned.lease-time=7s", "desk.wait=5s",
				"ge.redis.outage.command-timeout=5s" };
		this.first = LockApplication.start(redis.properties(), properties, Beans.class);
		this.second = LockApplication.start(redis.properties(), properties, Beans.class);
		this.desk = this.first.get(Desk.class);
		this.otherDesk = this.second.get(Desk.class);
		this.first.get(JdbcTemplate.class).execute("drop table if exists sales");
		this.first.get(JdbcTemplate.class).execute("create table sales (id int primary key)");
	}

	@AfterEach
	void stop() {
		this.first.close();
		this.second.close();
	}

	@Test
	void secondCallIsRefusedWhileFirstRuns() {
		String outcome = this.desk.run("a", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.otherDesk.run("a", () -> "b"))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isNull());
			return this.otherDesk.run("b", () -> "other key");
		});
		assertThat(outcome).isEqualTo("other key");
		assertThat(this.otherDesk.run("a", () -> "after")).isEqualTo("after");
	}

	@Test
	@Wide
	void cycleCostsTwoScriptCallsAndNestedCallsNothing() {
		this.desk.run("a", () -> "warm");
		int before = this.first.scripts();
		this.desk.run("a", () -> this.desk.run("a", () -> "nested"));
		assertThat(this.first.scripts() - before).isEqualTo(2);
	}

	@Test
	void lockIsFreeAfterMethodThrew() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.desk.run("a", () -> {
			throw new IllegalStateException("expected");
		}));
		assertThat(this.otherDesk.run("a", () -> "free")).isEqualTo("free");
	}

	@Test
	void tokenParameterReceivesRisingTokensWhateverCallerPasses() {
		long first = this.desk.token(-1, "a");
		long second = this.otherDesk.token(Long.MAX_VALUE, "a");
		assertThat(first).isPositive();
		assertThat(second).isGreaterThan(first);
	}

	@Test
	@Wide
	void contextGivesHandleOfInnermostLock() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(LockContext::current);
		String names = this.desk.run("a", () -> {
			LockHandle outer = LockContext.current();
			assertThat(outer.isValid()).isTrue();
			assertThat(outer.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
			String inner = this.desk.skipped("a", () -> LockContext.current().name());
			assertThat(LockContext.current()).isSameAs(outer);
			return outer.name() + ", " + inner;
		});
		assertThat(names).isEqualTo("run, skipped");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(LockContext::current);
	}

	@Test
	void skippedCallsReturnNothing() {
		this.desk.skipped("a", () -> {
			assertThat(this.otherDesk.skipped("a", () -> "ran")).isNull();
			return "first";
		});
		this.desk.skippedOptional(() -> {
			assertThat(this.otherDesk.skippedOptional(() -> "ran")).isEmpty();
			return "first";
		});
		assertThat(this.otherDesk.skippedOptional(() -> "ran")).contains("ran");
	}

	@Test
	void fallbackAnswersInPlace() {
		String answer = this.desk.withFallback("a", () -> this.otherDesk.withFallback("a", () -> "ran"));
		assertThat(answer).isEqualTo("busy with withFallback for a");
	}

	@Test
	void waitTimeFromPlaceholderWaits() {
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		CompletableFuture<String> holder = this.first.async(() -> this.desk.waiting(() -> {
			inside.countDown();
			await(leave);
			return "one";
		}));
		await(inside);
		CompletableFuture<String> waiter = this.second.async(() -> this.otherDesk.waiting(() -> "two"));
		org.awaitility.Awaitility.await().until(() -> this.second.waiting() == 1);
		assertThat(waiter).isNotDone();
		leave.countDown();
		assertThat(waiter.orTimeout(5, TimeUnit.SECONDS).join()).isEqualTo("two");
		assertThat(holder.orTimeout(5, TimeUnit.SECONDS).join()).isEqualTo("one");
	}

	@Test
	void propertiesWinOverAnnotation() {
		Duration remaining = this.desk.tuned(() -> LockContext.current().remaining());
		assertThat(remaining).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(7));
	}

	@Test
	void keysThatNameNothingAreRefusedAndMethodDoesNotRun() {
		AtomicInteger ran = new AtomicInteger();
		for (String key : new @Nullable String[] { null, "", "  " }) {
			assertThatExceptionOfType(InvalidKeyException.class)
				.isThrownBy(() -> this.desk.run(key, () -> "" + ran.incrementAndGet()))
				.withMessageContaining("key = \"#agent\"")
				.withMessageContaining((key != null) ? "evaluated to blank text" : "evaluated to null")
				.withMessageContaining("Desk.run");
		}
		assertThat(ran).hasValue(0);
	}

	@Test
	void lockIsReleasedAfterCommitOfSameMethod() {
		this.desk.sell(1, () -> assertThat(salesSeenBy(this.second)).isZero());
		// The next holder sees what the first one committed, whatever the order of
		// annotations
		this.otherDesk.sell(2, () -> assertThat(salesSeenBy(this.second)).isEqualTo(1));
		assertThat(salesSeenBy(this.first)).isEqualTo(2);
	}

	@Test
	void lockTakenInsideTransactionIsKeptUntilItsCommit() {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		transaction.executeWithoutResult((status) -> {
			this.desk.sell(1, () -> {
			});
			assertHeld();
			int before = this.first.scripts();
			this.desk.sell(2, () -> {
			});
			assertThat(this.first.scripts()).isEqualTo(before);
			assertHeld();
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(LockContext::current);
		});
		this.otherDesk.sell(3, () -> assertThat(salesSeenBy(this.second)).isEqualTo(2));
		int before = this.first.scripts();
		this.desk.sell(4, () -> {
		});
		assertThat(this.first.scripts() - before).isEqualTo(2);
	}

	@Test
	void lockTakenInsideTransactionIsReleasedAfterRollback() {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		transaction.executeWithoutResult((status) -> {
			this.desk.sell(1, () -> {
			});
			assertHeld();
			status.setRollbackOnly();
		});
		this.otherDesk.sell(1, () -> assertThat(salesSeenBy(this.second)).isZero());
	}

	@Test
	void lockTakenInsideTransactionIsKeptWhileCallbacksOfItsWorkRun() {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		AtomicBoolean held = new AtomicBoolean();
		transaction.executeWithoutResult((status) -> this.desk.sell(1,
				() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int outcome) {
						assertHeld();
						held.set(true);
					}

				})));
		assertThat(held).isTrue();
		this.otherDesk.sell(2, () -> assertThat(salesSeenBy(this.second)).isEqualTo(1));
	}

	@Test
	void handleClosedInsideTransactionIsReleasedAfterIt() {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		transaction.executeWithoutResult((status) -> {
			LockHandle handle = this.first.locks().tryLock("sell", "all").orElseThrow();
			handle.close();
			assertThat(handle.isValid()).isTrue();
			assertThat(this.second.locks().tryLock("sell", "all")).isEmpty();
		});
		this.second.locks().tryLock("sell", "all").orElseThrow().close();
	}

	@Test
	void methodRunsUnderTheLocksOfAllItsKeys() {
		String told = this.desk.transfer(-1, List.of("b", "a", "b"), () -> {
			MultiLockHandle lock = (MultiLockHandle) LockContext.current();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.otherDesk.book("b", () -> "inside"));
			int before = this.first.scripts();
			assertThat(this.desk.book("a", () -> "nested")).isEqualTo("nested");
			assertThat(this.desk.transfer(0, List.of("a", "b"), () -> "again")).endsWith("again");
			assertThat(this.first.scripts()).isEqualTo(before);
			return lock.token("a") + " ";
		});
		String[] tokens = told.split(" ");
		assertThat(tokens[0]).as("the token of the first key").isEqualTo(tokens[1]);
		assertThat(this.otherDesk.book("b", () -> "free")).isEqualTo("free");
	}

	@Test
	@Wide
	void keysThatAreNoCollectionAreRefusedAndMethodDoesNotRun() {
		AtomicInteger ran = new AtomicInteger();
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> this.desk.transferAll("a", () -> {
			ran.incrementAndGet();
			return "";
		}))
			.withMessageContaining("neither a collection nor an array. A list is written {#one, #other}")
			.withMessageContaining("Desk.transferAll");
		List<List<String>> wrong = new ArrayList<>(List.of(List.of(), List.of("a", " ")));
		wrong.add(null);
		for (List<String> keys : wrong) {
			assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> this.desk.transfer(0, keys, () -> {
				ran.incrementAndGet();
				return "";
			}));
		}
		assertThat(ran).hasValue(0);
		assertThat(this.desk.transferAll(new String[] { "a", "b" }, () -> "done")).isEqualTo("done");
	}

	@Test
	@Sized
	void noUpdateIsLostWhateverTheOrderOfAnnotations() {
		JdbcTemplate jdbc = this.first.get(JdbcTemplate.class);
		jdbc.execute("drop table if exists counter");
		jdbc.execute("create table counter (amount int)");
		jdbc.update("insert into counter values (0)");
		int number = Wide.RUN ? 16 : 4;
		int rounds = Wide.RUN ? 20 : 10;
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (LockApplication application : List.of(this.first, this.second)) {
			Desk counting = application.get(Desk.class);
			TransactionTemplate transaction = new TransactionTemplate(
					application.get(PlatformTransactionManager.class));
			for (int caller = 0; caller < number; caller++) {
				callers.add(application.async(() -> {
					for (int i = 0; i < rounds; i++) {
						counting.countTransactionFirst();
						counting.countLockFirst();
						transaction.executeWithoutResult((status) -> counting.countLockFirst());
					}
					return null;
				}));
			}
		}
		CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).orTimeout(120, TimeUnit.SECONDS).join();
		assertThat(jdbc.queryForObject("select amount from counter", Integer.class)).isEqualTo(2 * number * rounds * 3);
		assertThat(this.first.events(LockLostEvent.class)).isEmpty();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lockTakenInsideATransactionThatSeesOldDataDrawsAWarning(CapturedOutput output) {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		transaction.executeWithoutResult((status) -> this.desk.run("a", () -> "done"));
		assertThat(output).doesNotContain("may not see what the last holder has committed");
		transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		for (int i = 0; i < 2; i++) {
			transaction.executeWithoutResult((status) -> this.desk.run("a", () -> "done"));
		}
		assertThat(output.getAll().split("The lock 'run' is taken inside a transaction", -1)).hasSize(2);
	}

	@Test
	void transactionUnderALostLockIsNotCommitted() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.desk.sellShortly(1, LockedMethodsIntegrationTests::loseCurrentLock));
		assertThat(salesSeenBy(this.first)).isZero();
		// Unless the machine takes longer than the lease
		Awaitility.await()
			.pollInSameThread()
			.ignoreExceptionsInstanceOf(LockLostException.class)
			.untilAsserted(() -> this.desk.sellShortly(2, () -> {
			}));
		assertThat(salesSeenBy(this.first)).isEqualTo(1);
	}

	@Test
	void transactionInWhichALostLockWasTakenIsNotCommitted() {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		LockOptions options = LockOptions.defaults().leaseTime(LEASE).renew(false);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				LockHandle handle = this.first.locks().tryLock("sell", "one", options).orElseThrow();
				this.first.get(JdbcTemplate.class).update("insert into sales values (7)");
				Awaitility.await().until(() -> !handle.isValid());
			}));
		assertThat(salesSeenBy(this.first)).isZero();
	}

	@Test
	@Wide
	void transactionUnderALostLockIsCommittedIfOnlyAnEventIsWanted() {
		TransactionTemplate transaction = new TransactionTemplate(this.first.get(PlatformTransactionManager.class));
		LockOptions options = LockOptions.defaults().leaseTime(LEASE).renew(false).onLost(OnLost.EVENT);
		this.first.locks().execute("sell", "one", options, (lock) -> {
			Awaitility.await().until(() -> !lock.isValid());
			transaction.executeWithoutResult(
					(status) -> this.first.get(JdbcTemplate.class).update("insert into sales values (7)"));
			return null;
		});
		assertThat(salesSeenBy(this.first)).isEqualTo(1);
		Awaitility.await().until(() -> this.first.events(LockLostEvent.class).size() == 1);
	}

	@Test
	void lossIsPublishedAlsoWhereTheLockIsReleasedBeforeTheTimerRuns() {
		LockOptions options = LockOptions.defaults()
			.leaseTime(Duration.ofMillis(500))
			.renew(false)
			.onLost(OnLost.EVENT);
		this.first.locks().execute(SlowListener.SLOW, "one", options, (outer) -> {
			this.first.locks().execute("sell", "one", options, (lock) -> {
				Awaitility.await().until(() -> !lock.isValid());
				return null;
			});
			assertThat(this.first.events(LockLostEvent.class)).extracting(LockLostEvent::name).contains("sell");
			this.first.get(SlowListener.class).done.countDown();
			return null;
		});
	}

	@Test
	void workUnderALostLockIsInterruptedIfSoWanted() {
		LockOptions options = LockOptions.defaults().leaseTime(LEASE).renew(false).onLost(OnLost.INTERRUPT);
		CountDownLatch never = new CountDownLatch(1);
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.first.locks().execute("sell", "one", options, (lock) -> {
				never.await(20, TimeUnit.SECONDS);
				return null;
			}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	@Wide
	void interruptOfALostLockThatItsWorkLeavesEndsWithTheWork() {
		LockOptions options = LockOptions.defaults().leaseTime(LEASE).renew(false).onLost(OnLost.INTERRUPT);
		this.first.locks().<Void, RuntimeException>execute("sell", "two", options, (lock) -> {
			while (!Thread.currentThread().isInterrupted()) {
				LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
			}
			return null;
		});
		assertThat(Thread.currentThread().isInterrupted()).as("after the work").isFalse();
	}

	@Test
	@Wide
	void scheduledMethodRunsOnOneInstanceAlsoIfTheOtherComesLater() {
		assertThat(this.desk.nightly()).isEqualTo("done");
		assertThat(this.otherDesk.nightly()).isNull();
		assertThat(this.desk.nightly()).isNull();
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> "done".equals(this.otherDesk.nightly()));
	}

	private static void loseCurrentLock() {
		LockHandle handle = LockContext.current();
		Awaitility.await().until(() -> !handle.isValid());
	}

	@Test
	@Wide
	void interruptWhileWaitingIsKeptAndMethodDoesNotRun() {
		AtomicInteger ran = new AtomicInteger();
		this.desk.waiting(() -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> this.otherDesk.waiting(() -> "" + ran.incrementAndGet()));
			assertThat(Thread.interrupted()).isTrue();
			return "held";
		});
		assertThat(ran).hasValue(0);
		assertThat(this.otherDesk.waiting(() -> "free")).isEqualTo("free");
	}

	@Test
	void lockReleasedByHandIsTakenAnewInside() {
		this.desk.run("a", () -> {
			LockContext.current().close();
			// Released by hand: the inner call takes it anew
			return this.desk.run("a", () -> "again");
		});
		assertThat(this.otherDesk.run("a", () -> "free")).isEqualTo("free");
	}

	private void assertHeld() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.otherDesk.sell(9, () -> {
		}));
	}

	private static int salesSeenBy(LockApplication application) {
		CompletableFuture<Integer> count = application.async(
				() -> application.get(JdbcTemplate.class).queryForObject("select count(*) from sales", Integer.class));
		return count.join();
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import(Desk.class)
	static class Beans {

		@Bean
		DataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:locks;DB_CLOSE_DELAY=-1");
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcTemplate jdbc(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		SlowListener slowListener() {
			return new SlowListener();
		}

	}

	/**
	 * Keeps the thread of the timers busy with the loss of one lock.
	 */
	static class SlowListener implements GuardListener {

		static final String SLOW = "slow";

		private final CountDownLatch done = new CountDownLatch(1);

		@Override
		public void onEvent(GuardEvent event) {
			if (event instanceof LockLostEvent && event.name().equals(SLOW)) {
				try {
					this.done.await(30, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
		}

	}

	static class Desk {

		private final JdbcTemplate jdbc;

		Desk(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock(name = "run", key = "#agent")
		public String run(@Nullable String agent, Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(name = "token", key = "#agent")
		public long token(@FencingToken long token, String agent) {
			assertThat(LockContext.current().token()).isEqualTo(token);
			return token;
		}

		@Transactional
		@DistributedLock(name = "count", waitTime = "60s")
		public void countTransactionFirst() {
			count();
		}

		@DistributedLock(name = "count", waitTime = "60s")
		@Transactional
		public void countLockFirst() {
			count();
		}

		private void count() {
			Integer amount = this.jdbc.queryForObject("select amount from counter", Integer.class);
			Thread.yield();
			this.jdbc.update("update counter set amount = ?", amount + 1);
		}

		@DistributedLock(name = "transfer", keys = "#accounts")
		public String transfer(@FencingToken long token, @Nullable List<String> accounts, Supplier<String> work) {
			return token + " " + work.get();
		}

		@DistributedLock(name = "transfer", key = "#account")
		public String book(String account, Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(name = "transfer", keys = "#accounts")
		public String transferAll(Object accounts, Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(name = "skipped", key = "#p0", onNotAcquired = OnNotAcquired.SKIP)
		public @Nullable String skipped(String agent, Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
		public Optional<String> skippedOptional(Supplier<String> work) {
			return Optional.of(work.get());
		}

		@DistributedLock(name = "withFallback", key = "#agent", onNotAcquired = OnNotAcquired.FALLBACK,
				fallback = "busy")
		public String withFallback(String agent, Supplier<String> work) {
			return work.get();
		}

		private String busy(String agent, Supplier<String> work, LockNotAcquiredException refusal) {
			return "busy with " + refusal.name() + " for " + agent;
		}

		@DistributedLock(name = "waiting", waitTime = "${desk.wait}")
		public String waiting(Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(name = "tuned", leaseTime = "1m")
		public Duration tuned(Supplier<Duration> work) {
			return work.get();
		}

		@Transactional
		@DistributedLock(name = "short", leaseTime = "2500ms", renew = false)
		public void sellShortly(int id, Runnable work) {
			this.jdbc.update("insert into sales values (?)", id);
			work.run();
		}

		@DistributedLock(onNotAcquired = OnNotAcquired.SKIP, atLeastFor = "5s")
		public @Nullable String nightly() {
			return "done";
		}

		@Transactional
		@DistributedLock(name = "sell")
		public void sell(int id, Runnable before) {
			before.run();
			this.jdbc.update("insert into sales values (?)", id);
		}

	}

}
