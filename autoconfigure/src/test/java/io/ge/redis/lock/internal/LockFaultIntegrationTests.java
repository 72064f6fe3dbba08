// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.ProtectionOff;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.scenario.LockScenario;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What locks suffer and still promise. Each scenario is shown to fail where the
 * protection it is about is turned off.
 */
@Wide
class LockFaultIntegrationTests {

	private static final String EXCLUSION = "no two holders with valid locks, tokens rise";

	private static final String FENCING = "tokens rise, no stale write is accepted";

	private static final Sabotage ALWAYS_VALID = Sabotage.answer(HeldLock.class, "isValid", true);

	static final Sabotage[] COUNTED_TOKENS = {
			Sabotage.script("io/ge/redis/lock/acquire.lua", "math.max(past + 1, seen + 1, now)",
					"(redis.call('GET', counter) or 0) + 1"),
			Sabotage.script("io/ge/redis/lock/release.lua",
					"math.max(past + 1, (trusted(seen) and seen or 0) + 1, highest + 1, time())",
					"(redis.call('GET', counter) or 0) + 1") };

	private static final Failpoint.Place SEEN = Failpoint.exit(LockFaultApplication.Held.class, "isValid");

	/** A machine that is busy is no outage. */
	private static final String PATIENT = "ge.redis.outage.command-timeout=2s";

	private static final LockFaultRuns RUNS = new LockFaultRuns(PATIENT);

	/** No thread holds a lock, asynchronous work does. */
	private static final LockFaultRuns PUBLISHERS = new LockFaultRuns(PATIENT, "test.reactive=true");

	private static final Duration OUTAGE = Duration.ofSeconds((Long.getLong("ge.test.chaos.minutes", 0) > 0) ? 35 : 1);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ownerPausedBeyondItsLeaseAndResumed() {
		RUNS.passes(LockFaultRuns.run("owner paused beyond its lease and resumed", EXCLUSION).atLeast(2, 1),
				LockScenario::ownerPausedBeyondItsLeaseAndResumed);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void ownerPausedBeyondItsLeaseIsMissedWithoutItsDeadline() throws Exception {
		RUNS.fails(LockScenario::ownerPausedBeyondItsLeaseAndResumed, ALWAYS_VALID);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ownerPausedBetweenItsLookAndItsWrite() {
		RUNS.passes(LockFaultRuns.run("owner paused between its look and its write", EXCLUSION).atLeast(2, 1),
				(scenario) -> scenario.ownerPausedBetweenItsLookAndItsWrite(SEEN));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void ownerPausedBetweenItsLookAndItsWriteIsMissedWithTokensThatDoNotOrderHolders() throws Exception {
		RUNS.fails((scenario) -> scenario.ownerPausedBetweenItsLookAndItsWrite(SEEN),
				Sabotage.answer(LockFaultApplication.Held.class, "token", Long.MAX_VALUE));
	}

	@Test
	@FirstRun
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItHoldsLocks() {
		RUNS.passes(LockFaultRuns
			.run("instance killed while it holds locks", "a waiter has each within its lease and about a second")
			.atLeast(6, 1), LockScenario::instanceKilledWhileItHoldsLocks);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItHoldsLocksIsMissedWithoutLease() throws Exception {
		RUNS.fails(LockScenario::instanceKilledWhileItHoldsLocks,
				Sabotage.script("io/ge/redis/lock/acquire.lua",
						"redis.call('SET', lock, mine .. first .. ' ' .. last, 'PX', lease)",
						"redis.call('SET', lock, mine .. first .. ' ' .. last)"),
				Sabotage.script("io/ge/redis/lock/renew.lua", "redis.call('PEXPIRE', lock, lease)", "1"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItsPublishersHoldLocks() {
		PUBLISHERS.passes(LockFaultRuns
			.run("publishers: instance killed while it holds locks",
					"a waiter has each within its lease and about a second")
			.atLeast(6, 1), LockScenario::instanceKilledWhileItHoldsLocks);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungUnderPublishersAndResumedWithTheSameKeys() {
		PUBLISHERS.passes(LockFaultRuns
			.run("publishers: Redis hung beyond the budget and resumed",
					"the same keys are free again, not after their lease")
			.atLeast(9, 1), LockScenario::redisHungAndResumedWithTheSameKeys);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void holderOfPublishersCutOff() {
		PUBLISHERS.passes(LockFaultRuns.run("publishers: holder cut off from Redis", EXCLUSION + ", the holder is told")
			.atLeast(20, 1), LockScenario::holderCutOff);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItWaits() {
		RUNS.passes(LockFaultRuns
			.run("first waiter killed before the lock is granted to it", "the next has it within about two seconds")
			.atLeast(2, 1), LockScenario::instanceKilledWhileItWaits);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instanceKilledWhileItWaitsIsMissedIfGrantsDoNotEnd() throws Exception {
		RUNS.fails(LockScenario::instanceKilledWhileItWaits, Sabotage.script("io/ge/redis/lock/release.lua",
				"owner .. ' ' .. first .. ' ' .. last, 'PX', ttl)", "owner .. ' ' .. first .. ' ' .. last)"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisRestartedWithoutItsDataUnderLoad() {
		RUNS.passes(LockFaultRuns.run("Redis killed under load, restarted without its data", FENCING).atLeast(20, 1),
				(scenario) -> scenario.redisRestartedWithoutItsData(OUTAGE));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void redisRestartedWithoutItsDataIsMissedWithTokensThatOnlyCount() throws Exception {
		RUNS.fails((scenario) -> scenario.redisRestartedWithoutItsData(Duration.ofMillis(500)), COUNTED_TOKENS);
	}

	@Test
	@FirstRun
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumedWithTheSameKeys() {
		RUNS.passes(LockFaultRuns
			.run("Redis hung beyond the budget and resumed", "the same keys are free again, not after their lease")
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
	void failoverToALaggingReplica() {
		RUNS.passes(LockFaultRuns.run("failover to a lagging replica", FENCING).atLeast(3, 1),
				LockScenario::failoverToALaggingReplica);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void failoverToALaggingReplicaIsMissedWithTokensThatOnlyCount() throws Exception {
		RUNS.fails(LockScenario::failoverToALaggingReplica, COUNTED_TOKENS);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void onlyThePushConnectionCut() {
		RUNS.passes(LockFaultRuns
			.run("only the push connection cut", "a waiter has the lock within about a second of its release")
			.atLeast(6, 3), LockScenario::onlyThePushConnectionCut);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void onlyThePushConnectionCutIsMissedWithoutBackstop() throws Exception {
		RUNS.fails(LockScenario::onlyThePushConnectionCut,
				Sabotage.skip("io.ge.redis.lock.internal.QueuedWaiters", "retry"),
				Sabotage.skip("io.ge.redis.lock.internal.QueuedWaiters", "askAll"));
	}

	@Test
	@FirstRun
	@Execution(ExecutionMode.CONCURRENT)
	void holderCutOff() {
		RUNS.passes(LockFaultRuns.run("holder cut off from Redis", EXCLUSION + ", the holder is told").atLeast(20, 1),
				LockScenario::holderCutOff);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void holderCutOffIsMissedWithoutItsDeadline() throws Exception {
		RUNS.fails(LockScenario::holderCutOff, ALWAYS_VALID);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void halfASecondOfLatency() {
		RUNS.passes(LockFaultRuns.run("500 ms of latency", "a holder keeps its lock, " + EXCLUSION).atLeast(5, 1),
				LockScenario::halfASecondOfLatency);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void halfASecondOfLatencyIsMissedWithoutRenewal() throws Exception {
		RUNS.fails(LockScenario::halfASecondOfLatency, Sabotage.skip("io.ge.redis.lock.internal.RedisLocks", "renew"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void clockOfOneInstanceFiveMinutesAhead() {
		RUNS.passes(LockFaultRuns.run("clock of one instance 5 minutes ahead", EXCLUSION).atLeast(20, 1),
				LockScenario::clockOfOneInstanceFiveMinutesAhead);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void clockOfOneInstanceFiveMinutesAheadIsMissedByLocksThatAskTheClock() throws Exception {
		LockFaultRuns.run("sabotaged", "none").assertMissed((run) -> {
			try (LockScenario scenario = new LockScenario(run, LockFaultApplication.class)
				.with("test.wall-clock=true")) {
				scenario.clockOfOneInstanceFiveMinutesAhead();
			}
		});
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileRunning() {
		RUNS.passes(LockFaultRuns.run("FLUSHALL while running", FENCING).atLeast(20, 5),
				LockScenario::flushAllWhileRunning);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileRunningIsMissedWithTokensThatOnlyCount() throws Exception {
		RUNS.fails(LockScenario::flushAllWhileRunning, COUNTED_TOKENS);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void scriptFlushWhileRunning() {
		RUNS.passes(LockFaultRuns.run("SCRIPT FLUSH while running", "no call fails, " + EXCLUSION).atLeast(20, 5),
				LockScenario::scriptFlushWhileRunning);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void scriptFlushWhileRunningIsMissedIfScriptsAreNotSentAgain() throws Exception {
		RUNS.fails(LockScenario::scriptFlushWhileRunning,
				Sabotage.answer("io.ge.redis.core.connection.ReplyErrors", "isNoScript", false));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instancesPausedAndKilledAtRandom() {
		RUNS.passes(LockFaultRuns
			.run("instances paused and killed at random under load", EXCLUSION + ", somebody is served")
			.atLeast(20, 2), LockScenario::instancesPausedAndKilledAtRandom);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instancesPausedAtRandomAreMissedWithoutTheirDeadline() throws Exception {
		RUNS.fails(LockScenario::instancesPausedAndKilledAtRandom, ALWAYS_VALID);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nestedEntryIntoALostLockThrows(@TempDir Path directory) {
		FaultRun run = LockFaultRuns.run("lock deleted while its holder enters once more", "the nested entry throws")
			.atLeast(1, 1);
		while (run.next()) {
			nestedEntry(run, directory);
		}
		run.verify();
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void nestedEntryIntoALostLockIsMissedWithoutItsCheck(@TempDir Path directory) {
		FaultRun run = LockFaultRuns.run("sabotaged", "none").once();
		nestedEntry(run, directory, Sabotage.skip(HeldLock.class, "assertHeld"));
		assertThat(run.violations()).isNotEmpty();
	}

	private static void nestedEntry(FaultRun run, Path directory, Sabotage... sabotage) {
		Path journals = directory.resolve(String.valueOf(run.round()));
		try (StandaloneRedis redis = RedisServers.standalone();
				Instances instances = Instances.of(LockFaultApplication.class)
					.with(redis.properties())
					.with(PATIENT)
					.journal(journals)
					.sabotaged(sabotage)) {
			Instance instance = instances.start();
			Awaitility.await("a connection")
				.atMost(Duration.ofSeconds(30))
				.until(() -> instance.get("sections", "working", "0", "1000", "0", "50"),
						(counts) -> !counts.startsWith("0 "));
			CompletableFuture<String> call = instance.call("nested", "nested");
			Awaitility.await("outer entry")
				.atMost(Duration.ofSeconds(30))
				.until(() -> History.read(journals).count("outer") == 1);
			run.inject(Fault.of("FLUSHALL", redis::flushAll));
			run.operations(1);
			String told = call.handle((result, failure) -> {
				boolean lost = failure instanceof InstanceCallException thrown && thrown.is(LockLostException.class);
				return lost ? "lost" : result + " " + failure;
			}).orTimeout(30, TimeUnit.SECONDS).join();
			run.require(told.equals("lost"), "The nested entry: " + told);
		}
	}

}
