// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.ProtectionOff;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.LockNumberScenario;
import io.ge.redis.test.scenario.ScenarioDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What locks promise in numbers, under many faults of one kind. A build runs a few of
 * each; {@code -Dge.test.numbers=full} runs so many that one in a thousand is seen, and
 * judges times to the millisecond, for which the machine must have nothing else to do.
 */
@Wide
class LockNumbersFaultIntegrationTests {

	private static final boolean FULL = "full".equals(System.getProperty("ge.test.numbers"));

	/** What a machine that does other things may add to a bound. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	private static final int THREADS = 16;

	/** How often each thread increments. */
	private static final int INCREMENTS = Integer.getInteger("ge.test.increments", FULL ? 10_000 / THREADS : 40);

	private static final String TRANSACTIONS_OUTSIDE = LockTransactionsApplication.TRANSACTIONS_OUTSIDE + "=true";

	private static final String PATIENT = "ge.redis.outage.command-timeout=2s";

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void pushConnectionKilledAtRelease() {
		int kills = FULL ? 1000 : 25;
		Duration worst = Duration.ofSeconds(1);
		passes(run("push connection killed at release", "the waiter has the lock within 1 s, 99 of 100 within 250 ms")
			.atLeast(2L * kills, kills),
				(scenario) -> scenario.pushConnectionKilledAtRelease(kills, FULL ? worst : worst.plus(SLACK),
						FULL ? Duration.ofMillis(250) : worst.plus(SLACK)));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void pushConnectionKilledAtReleaseIsMissedIfNobodyAsksAgain() throws Exception {
		Duration worst = Duration.ofSeconds(1).plus(SLACK);
		fails((scenario) -> scenario.pushConnectionKilledAtRelease(40, worst, worst),
				Sabotage.skip("io.ge.redis.lock.internal.QueuedWaiters", "retry"),
				Sabotage.skip("io.ge.redis.lock.internal.QueuedWaiters", "askAll"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void holderKilled() {
		int kills = FULL ? 50 : 1;
		Duration late = Duration.ofMillis(100);
		passes(run("holder killed between extensions", "the waiter has the lock 100 ms after the end of the lease")
			.atLeast(8L * kills, kills), (scenario) -> scenario.holderKilled(kills, FULL ? late : late.plus(SLACK)));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void holderKilledIsMissedIfNobodyLooksAtTheEndOfTheLease() throws Exception {
		fails((scenario) -> scenario.holderKilled(1, Duration.ofMillis(100).plus(SLACK)), Sabotage
			.answer("io.ge.redis.lock.internal.QueuedWaiters", "backstopNanos", Duration.ofMinutes(1).toNanos()));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void holdersCutOffInEveryWay() {
		int partitions = FULL ? 1000 : 8;
		int sites = FULL ? 4 : 2;
		passes(run("holders cut off in every way", "the next one begins after the lock was last valid for the old one")
			.atLeast(4L * partitions, partitions * 9L / 10),
				(scenario) -> scenario.partitions(partitions, sites, LockNumberScenario.LEASE.multipliedBy(3)));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void holdersCutOffAreMissedWithoutTheirDeadline() throws Exception {
		// Until the next one holds the locks, however late it is
		fails((scenario) -> scenario.partitions(2, 2, Duration.ofSeconds(8)),
				Sabotage.answer(LockLease.class, "isValid", true));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void tokensWhileRedisLosesData() {
		int acquisitions = FULL ? 10_000 : 500;
		passes(run("restarts, FLUSHALL and failovers under load", "tokens rise").atLeast(acquisitions, FULL ? 100 : 3),
				(scenario) -> scenario.tokensWhileRedisLosesData(acquisitions));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void tokensWhileRedisLosesDataAreMissedIfTheyOnlyCount() throws Exception {
		fails((scenario) -> scenario.tokensWhileRedisLosesData(500), LockFaultIntegrationTests.COUNTED_TOKENS);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void readModifyWritesWithLocksOutsideTransactions() {
		FaultRun run = increments("locks outside transactions");
		increment(run, INCREMENTS, "ge.redis.lock.enabled=true");
		run.verify();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void readModifyWritesWithTransactionsOutsideLocks() {
		FaultRun run = increments("transactions outside locks");
		increment(run, INCREMENTS, TRANSACTIONS_OUTSIDE);
		run.verify();
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void readModifyWritesAreLostIfLocksDoNotOutliveTransactions() {
		FaultRun run = increments("sabotaged").once();
		increment(run, 50, TRANSACTIONS_OUTSIDE, Sabotage.skip("io.ge.redis.lock.internal.TransactionLocks", "keep"));
		assertThat(run.violations()).isNotEmpty();
	}

	private static FaultRun increments(String order) {
		return run("none: read-modify-write, " + order, "no update is lost").atLeast(2L * THREADS * INCREMENTS, 0);
	}

	/**
	 * Two instances with 16 threads each increment one number, in all ways.
	 */
	private static void increment(FaultRun run, int times, String property, Sabotage... sabotage) {
		try (StandaloneRedis redis = RedisServers.standalone();
				Instances instances = Instances.of(LockTransactionsApplication.class)
					.with(redis.properties())
					.with(ScenarioDatabase.properties().toArray(String[]::new))
					.with("ge.redis.lock.locks.counter.wait-time=2m", "ge.redis.outage.command-timeout=10s")
					.with(property)
					.sabotaged(sabotage)) {
			List<Instance> both = instances.start(2);
			while (run.next()) {
				String id = "lock-" + UUID.randomUUID();
				ScenarioDatabase.jdbc().sql("insert into items values (?, 0)").param(id).update();
				List<CompletableFuture<String>> working = both.stream()
					.map((instance) -> instance.call("increment", id, String.valueOf(THREADS), String.valueOf(times)))
					.toList();
				CompletableFuture.allOf(working.toArray(CompletableFuture[]::new)).orTimeout(1, TimeUnit.HOURS).join();
				long wanted = 2L * THREADS * times;
				Long version = ScenarioDatabase.jdbc()
					.sql("select version from items where id = ?")
					.param(id)
					.query(Long.class)
					.single();
				run.operations(wanted);
				run.require(version == wanted, (wanted - version) + " of " + wanted + " updates were lost");
			}
		}
	}

	private static FaultRun run(String fault, String promise) {
		return FaultRun.of("lock", fault, promise);
	}

	private static void passes(FaultRun run, Consumer<LockNumberScenario> body) {
		try (LockNumberScenario scenario = new LockNumberScenario(run, LockFaultApplication.class).with(PATIENT)) {
			body.accept(scenario);
		}
		run.verify();
	}

	private static void fails(Consumer<LockNumberScenario> body, Sabotage... sabotage) throws Exception {
		run("sabotaged", "none").assertMissed((run) -> {
			try (LockNumberScenario scenario = new LockNumberScenario(run, LockFaultApplication.class, sabotage)
				.with(PATIENT)) {
				body.accept(scenario);
			}
		});
	}

}
