// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.FirstRun;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.IdempotencyApplication;
import io.ge.redis.test.scenario.IdempotencyDeaths;
import io.ge.redis.test.scenario.IdempotencyScenario;
import io.ge.redis.test.scenario.IdempotencyScenario.Loss;
import io.ge.redis.test.scenario.ScenarioDatabase;
import io.ge.redis.test.scenario.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How often calls have their effect while things go wrong. A build lets a few owners of
 * keys die; {@code -Dge.test.numbers=full} lets 2,000 die in 8 instances, with a witness
 * and without, and {@code -Dge.test.deaths} as many as it says.
 */
@Wide
class IdempotencyFaultIntegrationTests {

	private static final Duration LEASE = Duration.ofMillis(600);

	private static final Duration BEYOND_LEASE = LEASE.multipliedBy(2);

	private static final String ONCE = "one effect per key";

	private static final String AT_LEAST_ONCE = "one effect per key, and one more for each loss";

	private static final String CLAIM = "io/ge/redis/idempotency/claim.lua";

	private static final String COMPLETE = "io/ge/redis/idempotency/complete.lua";

	private static final String CLOCK = "local clock = redis.call('TIME')";

	/** Where a completion was sent, and its reply is not yet there. */
	private static final Failpoint.Place COMPLETING = Failpoint.exit(RedisIdempotency.class, "end");

	/** Publishers pay instead of threads. */
	private static final String REACTIVE = "test.reactive=true";

	private static final int REPETITIONS = 50;

	private static final boolean FULL = "full".equals(System.getProperty("ge.test.numbers"));

	/** How many owners die, with and without a witness. */
	private static final int DEATHS = Integer.getInteger("ge.test.deaths",
			FULL ? 2000 : 2 * IdempotencyDeaths.deathsOfARound());

	private static Site site;

	/** Proves effects in the database. */
	private static Site witnessed;

	/** Runs unguarded what Redis does not decide. */
	private static Site open;

	/** Takes over keys whose lease has not ended. */
	private static Site greedy;

	/** Completes what another one has taken over. */
	private static Site unfenced;

	/** Pays by publishers. */
	private static Site published;

	@BeforeAll
	static void build() {
		List<String> properties = new ArrayList<>(ScenarioDatabase.properties());
		properties.add("ge.redis.idempotency.lease=" + LEASE.toMillis() + "ms");
		properties.add("ge.redis.idempotency.witness=off");
		site = Site.of(IdempotencyApplication.class, properties.toArray(String[]::new));
		witnessed = site.with("ge.redis.idempotency.witness=required");
		open = site.with("ge.redis.idempotency.on-outage=allow");
		published = site.with(REACTIVE);
		greedy = site.sabotaged(Sabotage.script(CLAIM, IdempotencyFaultIntegrationTests::takingOver));
		unfenced = site.sabotaged(Sabotage.script(COMPLETE,
				"if record[1] ~= fence or record[2] ~= owner or not (record[3] or record[4]) then", "if false then"));
	}

	@AfterAll
	static void close() {
		site.close();
	}

	@BeforeEach
	void mend() {
		site.reset();
	}

	@Test
	void ownerPausedBeyondItsLeaseAndResumed() throws Exception {
		String fault = "owner paused beyond its lease and resumed";
		FaultRun run = FaultRun.of("idempotency", fault, "what the later owner did is the answer").atLeast(10, 1);
		IdempotencyScenario.paused(run, site.one(), site.second(), false);
		run.verify();
		withoutProtection(fault,
				(sabotaged) -> IdempotencyScenario.paused(sabotaged, unfenced.one(), site.one(), false));
	}

	@Test
	void witnessedOwnerPausedBeyondItsLeaseAndResumed() throws Exception {
		String fault = "owner paused beyond its lease and resumed, with witness";
		FaultRun run = FaultRun.of("idempotency", fault, ONCE).atLeast(10, 1);
		IdempotencyScenario.paused(run, witnessed.one(), witnessed.second(), true);
		run.verify();
		withoutProtection(fault, (sabotaged) -> IdempotencyScenario.paused(sabotaged, site.one(), site.second(), true));
	}

	@Test
	void ownersDie() throws Exception {
		String fault = "owner dies at claim, effect, commit or completion";
		FaultRun run = deaths(fault, AT_LEAST_ONCE);
		die(run, fleet(site), false);
		run.verify();
		withoutProtection(fault, (sabotaged) -> die(sabotaged, site.one().and(greedy.two()), false));
	}

	@Test
	void witnessedOwnersDie() throws Exception {
		String fault = "owner dies at claim, effect, commit or completion, with witness";
		FaultRun run = deaths(fault, ONCE);
		die(run, fleet(witnessed), true);
		run.verify();
		withoutProtection(fault, (sabotaged) -> die(sabotaged, site.two(), true));
	}

	/**
	 * Two instances or eight, which are started one after the other and have more
	 * patience, since they keep each other waiting.
	 */
	private static Fleet fleet(Site site) {
		if (!FULL) {
			return site.two();
		}
		Site many = site.with("ge.redis.idempotency.lease=1s", "ge.redis.outage.command-timeout=1s");
		return () -> {
			for (int number = 1; number < 8; number++) {
				many.instances(number);
			}
			return many.instances(8);
		};
	}

	private static FaultRun deaths(String fault, String promise) {
		int rounds = DEATHS / IdempotencyDeaths.deathsOfARound();
		return FaultRun.of("idempotency", fault, promise)
			.rounds(rounds)
			.atLeast((long) DEATHS * REPETITIONS, rounds * IdempotencyDeaths.deathsOfARound());
	}

	private static void die(FaultRun run, Fleet instances, boolean once) throws Exception {
		IdempotencyDeaths.play(run, instances, COMPLETING, REPETITIONS, once);
	}

	@Test
	void witnessedAndKilledWithKeysInFlight() throws Exception {
		FaultRun run = FaultRun.of("idempotency", "kill -9 with keys in flight, with witness", ONCE).atLeast(36, 1);
		IdempotencyScenario.killedAtRandom(run, witnessed.one(), witnessed.second(), true);
		run.verify();
	}

	@Test
	void witnessedAndEverythingFlushed() throws Exception {
		String fault = "FLUSHALL, with witness";
		FaultRun run = FaultRun.of("idempotency", fault, ONCE).atLeast(24, 1);
		IdempotencyScenario.underLoad(run, witnessed.two(), witnessed.flushed(), Duration.ZERO, Loss.WITNESSED);
		run.verify();
		withoutProtection(fault, (sabotaged) -> IdempotencyScenario.underLoad(sabotaged, greedy.one(), site.flushed(),
				Duration.ZERO, Loss.WITNESSED));
	}

	@Test
	void witnessedFailoverToALaggingReplica() throws Exception {
		Fault failover = witnessed.failover();
		FaultRun run = FaultRun.of("idempotency", failover.name() + ", with witness", ONCE).atLeast(24, 1);
		IdempotencyScenario.underLoad(run, witnessed.replicated(witnessed.two()), failover, Duration.ofMillis(150),
				Loss.WITNESSED);
		run.verify();
	}

	@Test
	@FirstRun
	void killedWithKeysInFlight() throws Exception {
		String fault = "kill -9 with keys in flight";
		FaultRun run = FaultRun.of("idempotency", fault, AT_LEAST_ONCE).atLeast(36, 1);
		IdempotencyScenario.killedAtRandom(run, site.one(), site.second(), false);
		run.verify();
		withoutProtection(fault,
				(sabotaged) -> IdempotencyScenario.killedAtRandom(sabotaged, site.one(), greedy.one(), false));
	}

	@Test
	void redisKilledForLongerThanTheLease() throws Exception {
		underLoad(site.redisKilled(), Site.outage(BEYOND_LEASE), ONCE, Loss.NONE, open);
	}

	@Test
	@FirstRun
	void redisHungForLongerThanTheLeaseAndResumed() throws Exception {
		underLoad(site.redisHung(), BEYOND_LEASE, ONCE, Loss.NONE, open);
	}

	@Test
	@FirstRun
	void networkCutForLongerThanTheLease() throws Exception {
		underLoad(site.networkCut(), BEYOND_LEASE, ONCE, Loss.NONE, open);
	}

	@Test
	void allConnectionsKilled() throws Exception {
		underLoad(site.connectionsKilled(), Duration.ZERO, ONCE, Loss.NONE, open);
	}

	@Test
	void halfASecondOfLatency() throws Exception {
		underLoad(site.latency(Duration.ofMillis(500)), BEYOND_LEASE, ONCE, Loss.NONE, open);
	}

	@Test
	void memoryLimitReachedWithNoeviction() throws Exception {
		underLoad(site.memoryFull(), Duration.ofMillis(300), ONCE, Loss.NONE, open);
	}

	@Test
	void everythingFlushed() throws Exception {
		underLoad(site.flushed(), Duration.ZERO, AT_LEAST_ONCE, Loss.ONCE, greedy);
	}

	@Test
	void evictionWithAllkeysLru() throws Exception {
		underLoad(site.evicting(), Duration.ZERO, "one effect per key once nothing is evicted any more", Loss.REPEATED,
				greedy);
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		Fault failover = site.failover();
		FaultRun run = FaultRun.of("idempotency", failover.name(), AT_LEAST_ONCE).atLeast(24, 1);
		IdempotencyScenario.underLoad(run, site.replicated(site.two()), failover, Duration.ofMillis(150), Loss.ONCE);
		run.verify();
		withoutProtection(failover.name(), (sabotaged) -> IdempotencyScenario.underLoad(sabotaged,
				site.replicated(greedy.two()), failover, Duration.ofMillis(150), Loss.ONCE));
	}

	@Test
	void oneClockFiveMinutesAhead() throws Exception {
		Fault none = Fault.of("clock 5 minutes ahead", () -> {
		});
		FaultRun run = FaultRun.of("idempotency", none.name(), ONCE).atLeast(24, 1);
		Fleet ahead = site.clockAhead(Duration.ofMinutes(5)).one();
		IdempotencyScenario.underLoad(run, ahead.and(site.one()), none, Duration.ZERO, Loss.NONE);
		run.verify();
		Site clientTime = site
			.sabotaged(Sabotage.script(CLAIM, (text) -> text.replace(CLOCK, CLOCK + "\nclock[1] = clock[1] + 300")
				.replace("if waits > now then", "if false then")));
		withoutProtection(none.name(), (sabotaged) -> IdempotencyScenario.underLoad(sabotaged,
				clientTime.one().and(site.one()), none, Duration.ZERO, Loss.NONE));
	}

	@Test
	void publishersKilledWithKeysInFlight() throws Exception {
		String fault = "publishers: kill -9 with keys in flight";
		FaultRun run = FaultRun.of("idempotency", fault, AT_LEAST_ONCE).atLeast(36, 1);
		IdempotencyScenario.killedAtRandom(run, published.one(), published.second(), false);
		run.verify();
		withoutProtection(fault, (sabotaged) -> IdempotencyScenario.killedAtRandom(sabotaged, published.one(),
				greedy.with(REACTIVE).one(), false));
	}

	@Test
	void redisHungUnderPublishersForLongerThanTheLeaseAndResumed() throws Exception {
		underLoadOfPublishers(site.redisHung());
	}

	@Test
	void networkCutUnderPublishersForLongerThanTheLease() throws Exception {
		underLoadOfPublishers(site.networkCut());
	}

	private static void underLoadOfPublishers(Fault fault) throws Exception {
		Fault underPublishers = Fault.of("publishers: " + fault.name(), fault::inject, fault::heal);
		underLoad(published, underPublishers, BEYOND_LEASE, ONCE, Loss.NONE, open.with(REACTIVE));
	}

	private static String takingOver(String claim) {
		return claim.replace("if deadline > now then", "if false then").replace("if waits > now then", "if false then");
	}

	private static void underLoad(Fault fault, Duration lasting, String promise, Loss loss, Site unprotected)
			throws Exception {
		underLoad(site, fault, lasting, promise, loss, unprotected);
	}

	private static void underLoad(Site site, Fault fault, Duration lasting, String promise, Loss loss, Site unprotected)
			throws Exception {
		FaultRun run = FaultRun.of("idempotency", fault.name(), promise).atLeast(24, 1);
		IdempotencyScenario.underLoad(run, site.two(), fault, lasting, loss);
		run.verify();
		withoutProtection(fault.name(),
				(sabotaged) -> IdempotencyScenario.underLoad(sabotaged, unprotected.two(), fault, lasting, loss));
	}

	private static void withoutProtection(String fault, FaultRun.Body body) throws Exception {
		FaultRun.of("idempotency", fault, ONCE).assertMissed(body);
	}

}
