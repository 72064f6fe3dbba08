// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.ProtectionOff;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.oracle.Entry;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.scenario.LockScenario;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What shares of locks suffer and still promise. Writers promise what holders of a lock
 * that one has alone do, so they go through the same scenarios. Each is shown to fail
 * where the protection it is about is turned off.
 */
@Wide
class SharedLockFaultIntegrationTests {

	private static final String SHARE = "io/ge/redis/lock/share.lua";

	private static final String EXCLUSION = "no two writers with valid locks, tokens rise";

	private static final Sabotage ALWAYS_VALID = Sabotage.answer(HeldLock.class, "isValid", true);

	private static final Sabotage COUNTED_TOKENS = Sabotage.script(SHARE,
			"math.max(past + 1, (tonumber(seen) <= latest and seen or 0) + 1, highest + 1, now)",
			"(redis.call('GET', counter) or 0) + 1");

	private static final Sabotage[] ENDLESS_LEASES = {
			Sabotage.script(SHARE, "text(now + millis * 1000)", "text(now + 1000000 * millis)"),
			Sabotage.script("io/ge/redis/lock/renew-shares.lua", "now + lease * 1000", "now + lease * 1000000") };

	/** A machine that is busy is no outage. */
	private static final String[] PATIENT = { "ge.redis.outage.command-timeout=2s", "test.lock-mode=WRITE" };

	private static final LockFaultRuns RUNS = new LockFaultRuns(PATIENT);

	private static final Duration LEASE = Duration.ofMillis(1500);

	/** What a busy machine may add to a bound. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void writerPausedBeyondItsLeaseAndResumed() {
		RUNS.passes(LockFaultRuns.run("writer paused beyond its lease and resumed", EXCLUSION).atLeast(2, 1),
				LockScenario::ownerPausedBeyondItsLeaseAndResumed);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void writerPausedBeyondItsLeaseIsMissedWithoutItsDeadline() throws Exception {
		RUNS.fails(LockScenario::ownerPausedBeyondItsLeaseAndResumed, ALWAYS_VALID);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItHoldsShares() {
		RUNS.passes(LockFaultRuns
			.run("instance killed while it holds shares", "a waiter has each within its lease and about a second")
			.atLeast(6, 1), LockScenario::instanceKilledWhileItHoldsLocks);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItHoldsSharesIsMissedWithoutLease() throws Exception {
		RUNS.fails(LockScenario::instanceKilledWhileItHoldsLocks, ENDLESS_LEASES);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItWaits() {
		RUNS.passes(LockFaultRuns
			.run("first waiter for a share killed before it is granted", "the next has it within about two seconds")
			.atLeast(2, 1), LockScenario::instanceKilledWhileItWaits);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItWaitsIsMissedIfGrantsDoNotEnd() throws Exception {
		RUNS.fails(LockScenario::instanceKilledWhileItWaits, Sabotage.script(SHARE, "tonumber(wanted), highest, grant)",
				"tonumber(wanted), highest, 1000 * grant)"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItHoldsAndWaits() {
		RUNS.passes(LockFaultRuns
			.run("holder killed whose callers wait before another's",
					"the other has it within the lease and about a second")
			.atLeast(4, 1), LockScenario::instanceKilledWhileItHoldsAndWaits);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItHoldsAndWaitsIsMissedIfEachOfItsWaitersIsGrantedAShare() throws Exception {
		RUNS.fails(LockScenario::instanceKilledWhileItHoldsAndWaits,
				Sabotage.script(SHARE, "if next(silent) then", "if false then"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumedWithTheSameKeys() {
		RUNS.passes(LockFaultRuns
			.run("Redis hung beyond the budget and resumed, with shares",
					"the same keys are free again, not after their lease")
			.atLeast(9, 1), LockScenario::redisHungAndResumedWithTheSameKeys);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumedIsMissedWithoutCompensation() throws Exception {
		RUNS.fails(LockScenario::redisHungAndResumedWithTheSameKeys, Sabotage.skip(GuardedRedis.class, "compensate"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void onlyThePushConnectionCut() {
		RUNS.passes(LockFaultRuns
			.run("only the push connection cut, with shares",
					"a waiter has its share within about a second of the release")
			.atLeast(6, 3), SharedLockFaultIntegrationTests::onlyThePushConnectionCut);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void onlyThePushConnectionCutIsMissedWithoutBackstop() throws Exception {
		RUNS.fails(SharedLockFaultIntegrationTests::onlyThePushConnectionCut,
				Sabotage.skip("io.ge.redis.lock.internal.QueuedWaiters", "retry"),
				Sabotage.skip("io.ge.redis.lock.internal.QueuedWaiters", "askAll"));
	}

	private static void onlyThePushConnectionCut(LockScenario scenario) {
		scenario.onlyThePushConnectionCut(
				(redis, key) -> !redis.primary().command("KEYS", "*" + key + "*:w*").equals(List.of()));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileRunning() {
		RUNS.passes(LockFaultRuns
			.run("FLUSHALL while shares are held", "tokens of writers rise, no stale write is accepted")
			.atLeast(20, 5), LockScenario::flushAllWhileRunning);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileRunningIsMissedWithTokensThatOnlyCount() throws Exception {
		RUNS.fails(LockScenario::flushAllWhileRunning, COUNTED_TOKENS);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instancesPausedAndKilledAtRandom() {
		RUNS.passes(LockFaultRuns
			.run("instances with shares paused and killed at random under load", EXCLUSION + ", somebody is served")
			.atLeast(20, 2), LockScenario::instancesPausedAndKilledAtRandom);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instancesPausedAtRandomAreMissedWithoutTheirDeadline() throws Exception {
		RUNS.fails(LockScenario::instancesPausedAndKilledAtRandom, ALWAYS_VALID);
	}

	/**
	 * One of two readers is killed while a writer waits: the other one keeps its share,
	 * and the writer has the lock when that one has left and the lease of the dead one is
	 * over.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void readerKilledBesideAnotherBeforeAWriter(@TempDir Path directory) {
		FaultRun run = LockFaultRuns
			.run("reader killed beside another, before a writer",
					"the other reads on, the writer has the lock within a lease and about a second")
			.atLeast(2, 1);
		while (run.next()) {
			readerKilled(run, directory);
		}
		run.verify();
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void readerKilledBesideAnotherIsMissedWithoutLeases(@TempDir Path directory) {
		FaultRun run = LockFaultRuns.run("sabotaged", "none").once();
		readerKilled(run, directory, ENDLESS_LEASES);
		assertThat(run.violations()).isNotEmpty();
	}

	private static void readerKilled(FaultRun run, Path directory, Sabotage... sabotage) {
		Path journals = directory.resolve(String.valueOf(run.round()));
		try (StandaloneRedis redis = RedisServers.standalone();
				Instances instances = Instances.of(LockFaultApplication.class)
					.with(redis.properties())
					.with(PATIENT)
					.journal(journals)
					.sabotaged(sabotage)) {
			Instance dies = instances.start();
			Instance reads = instances.start();
			Instance writes = instances.start();
			for (Instance instance : List.of(dies, reads, writes)) {
				Awaitility.await("a connection")
					.atMost(Duration.ofSeconds(30))
					.ignoreExceptionsInstanceOf(InstanceCallException.class)
					.until(() -> instance.get("together", "working", "READ", "0", "5000", "0"), "done"::equals);
			}
			together(dies, "READ", Duration.ZERO, LEASE, Duration.ofMinutes(1));
			awaitEntered(journals, 1);
			CompletableFuture<String> other = together(reads, "READ", Duration.ZERO, Duration.ofSeconds(30),
					LEASE.multipliedBy(2));
			awaitEntered(journals, 2);
			CompletableFuture<String> writer = together(writes, "WRITE", LEASE.multipliedBy(6), LEASE, Duration.ZERO);
			Awaitility.await("a writer that waits")
				.until(() -> redis.primary().command("ZCARD", "ge:lock:{together:a}:w1"), Long.valueOf(1)::equals);
			long killed = System.nanoTime();
			run.inject(Fault.of("killed", dies::kill));
			String told = other.orTimeout(30, TimeUnit.SECONDS).join();
			run.require(told.equals("done"), "The other reader was told: " + told);
			String served = writer.orTimeout(30, TimeUnit.SECONDS).join();
			run.require(served.equals("done"), "The writer was told: " + served);
			List<Entry> entered = entries(journals, "together");
			List<Entry> left = entries(journals, "apart");
			if (served.equals("done")) {
				Entry last = entered.get(entered.size() - 1);
				Duration after = Duration.ofNanos(last.nanos() - killed);
				run.latency(after);
				run.require(after.compareTo(LEASE.multipliedBy(2).plusSeconds(1).plus(SLACK)) <= 0,
						"The writer had the lock after " + after);
				run.require(last.nanos() >= left.get(0).nanos(), "The writer had the lock beside a reader");
			}
			run.operations(3);
		}
	}

	private static CompletableFuture<String> together(Instance instance, String mode, Duration wait, Duration lease,
			Duration work) {
		return instance.call("together", "a", mode, String.valueOf(wait.toMillis()), String.valueOf(lease.toMillis()),
				String.valueOf(work.toMillis()));
	}

	private static List<Entry> entries(Path journals, String kind) {
		return History.read(journals)
			.entries(kind)
			.stream()
			.filter((entry) -> entry.field(0).equals("a"))
			.sorted(Comparator.comparingLong(Entry::nanos))
			.toList();
	}

	private static void awaitEntered(Path journals, int count) {
		Awaitility.await("entry")
			.atMost(Duration.ofSeconds(30))
			.until(() -> entries(journals, "together").size() == count);
	}

}
