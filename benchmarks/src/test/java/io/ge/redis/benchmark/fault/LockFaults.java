// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.scenario.LockScenario;

/**
 * The scenarios of locks.
 */
final class LockFaults {

	private static final String EXCLUSION = "no two holders with valid locks, tokens rise, no late write is accepted";

	private static final String FENCING = "tokens rise, no late write is accepted";

	private static final Duration LEASE = Duration.ofMillis(1500);

	private static final Subject OURS = new Subject(Outcome.OURS, GeLocks.class, "ge.redis.outage.command-timeout=2s");

	private static final Subject PLAIN = new Subject("Redisson RLock", RedissonLocks.class);

	private static final Subject FENCED = new Subject("Redisson RFencedLock", RedissonLocks.class, "peer.fenced=true");

	private static final Subject SPINNING = new Subject("RedisLockRegistry, spin", RegistryLocks.class,
			"spring.data.redis.timeout=2s");

	private static final Subject LISTENING = new Subject("RedisLockRegistry, pub/sub", RegistryLocks.class,
			"spring.data.redis.timeout=2s", "peer.type=PUB_SUB_LOCK");

	private static final List<Subject> ALL = List.of(OURS, PLAIN, FENCED, SPINNING);

	private final List<Play> plays = new ArrayList<>();

	static List<Play> plays() {
		LockFaults faults = new LockFaults();
		faults.add("owner paused beyond its lease and resumed", EXCLUSION, LEASE,
				LockScenario::ownerPausedBeyondItsLeaseAndResumed);
		ALL.forEach((subject) -> faults.add(subject, "owner paused between its look and its write", EXCLUSION, LEASE,
				(scenario) -> scenario.ownerPausedBetweenItsLookAndItsWrite(
						Failpoint.exit(subject.application().getName() + "$Held", "isValid"))));
		faults.add("instance killed while it holds locks", "a waiter has each within its lease and about a second",
				LEASE, LockScenario::instanceKilledWhileItHoldsLocks);
		faults.add("Redis killed under load, restarted without its data", FENCING, LEASE,
				(scenario) -> scenario.redisRestartedWithoutItsData(Duration.ofSeconds(1)));
		faults.add("Redis hung beyond the time-out and resumed", "the same keys are free again, not after their lease",
				Duration.ofSeconds(30), LockScenario::redisHungAndResumedWithTheSameKeys);
		faults.add("failover to a lagging replica", FENCING, LEASE, LockScenario::failoverToALaggingReplica);
		faults.addPush("only the push connection cut", "a waiter has the lock within about a second of its release");
		faults.add("500 ms of latency", "a holder keeps its lock, " + EXCLUSION, Duration.ofSeconds(4),
				LockScenario::halfASecondOfLatency);
		faults.add("clock of one instance 5 minutes ahead", EXCLUSION, LEASE,
				LockScenario::clockOfOneInstanceFiveMinutesAhead);
		faults.add("FLUSHALL while running", FENCING, LEASE, LockScenario::flushAllWhileRunning);
		faults.add("SCRIPT FLUSH while running", "no call fails, " + EXCLUSION, LEASE,
				LockScenario::scriptFlushWhileRunning);
		faults.add("instances paused and killed at random under load", EXCLUSION + ", somebody is served", LEASE,
				LockScenario::instancesPausedAndKilledAtRandom);
		return faults.plays;
	}

	private void add(String fault, String promise, Duration lease, Consumer<LockScenario> body) {
		ALL.forEach((subject) -> add(subject, fault, promise, lease, body));
	}

	private void addPush(String fault, String promise) {
		Duration lease = Duration.ofSeconds(10);
		// A spinning waiter has no push connection
		add(OURS, fault, promise, lease, LockScenario::onlyThePushConnectionCut);
		BiPredicate<StandaloneRedis, String> channel = (redis,
				key) -> !redis.primary().command("PUBSUB", "CHANNELS", "*" + key + "*").equals(List.of());
		add(PLAIN, fault, promise, lease, (scenario) -> scenario.onlyThePushConnectionCut(channel));
		add(FENCED, fault, promise, lease, (scenario) -> scenario.onlyThePushConnectionCut(channel));
		add(LISTENING, fault, promise, lease, (scenario) -> scenario
			.onlyThePushConnectionCut((redis, key) -> !redis.primary().command("PUBSUB", "NUMPAT").equals(0L)));
	}

	private void add(Subject subject, String fault, String promise, Duration lease, Consumer<LockScenario> body) {
		FaultRun run = FaultRun.of("lock", fault, promise).subject(subject.name());
		this.plays.add(new Play(run, () -> {
			try (LockScenario scenario = new LockScenario(run, subject.application()).with(subject.properties())
				.with("peer.lease=" + lease.toMillis() + "ms")) {
				body.accept(scenario);
			}
		}));
	}

}
