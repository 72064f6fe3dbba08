// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.FirstRun;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Failpoint;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.ScenarioDatabase;
import io.ge.redis.test.scenario.Site;
import io.ge.redis.test.scenario.WriteBehindApplication;
import io.ge.redis.test.scenario.WriteBehindApplication.PointsStore;
import io.ge.redis.test.scenario.WriteBehindScenario;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * What reaches the database while things go wrong. A build kills a few instances that
 * write; {@code -Dge.test.numbers=full} kills 200, and {@code -Dge.test.kills} as many as
 * it says.
 */
@Wide
class WriteBehindFaultIntegrationTests {

	private static final String KEPT = "nothing lost, order of each key kept";

	private static final String TAKE = "io/ge/redis/cache/internal/behind/take.lua";

	private static final String APPEND = "io/ge/redis/cache/internal/behind/append.lua";

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final Duration REST = Duration.ofSeconds(30);

	/** Enough for stores that would lose nothing. */
	private static final Duration SABOTAGED_REST = LEASE.multipliedBy(3);

	private static final int KILLS = Integer.getInteger("ge.test.kills",
			"full".equals(System.getProperty("ge.test.numbers")) ? 200 : Wide.RUN ? 6 : 1);

	private static final Failpoint.Place WRITING = Failpoint.enter(PointsStore.class, "writeAll");

	private static final Failpoint.Place WRITTEN = Failpoint.exit(PointsStore.class, "writeAll");

	/** Before the writing, after it, and before and after it is confirmed. */
	private static final List<Failpoint.Place> PLACES = List.of(WRITING,
			Failpoint.enter(DataSourceTransactionManager.class, "doCommit"),
			Failpoint.exit(DataSourceTransactionManager.class, "doCommit"),
			Failpoint.enter(RedisWriteBehind.class, "settle"), Failpoint.exit(RedisWriteBehind.class, "settle"));

	private static Site writers;

	/** Looks at versions. */
	private static Site stores;

	/** Relies on the order in which it is called. */
	private static Site naive;

	/** Writes what another one is about to write. */
	private static Site unfenced;

	/** Leaves alone what another one was about to write. */
	private static Site forgetful;

	@BeforeAll
	static void build() {
		List<String> properties = new ArrayList<>(ScenarioDatabase.properties());
		properties.addAll(List.of("ge.redis.cache.caches.points.write-behind=true",
				"ge.redis.cache.write-behind.lease-time=" + LEASE.toMillis() + "ms",
				"ge.redis.cache.write-behind.retry-delay=50ms", "ge.redis.cache.write-behind.max-retry-delay=500ms",
				"ge.redis.outage.command-timeout=1s"));
		writers = Site.of(WriteBehindApplication.class, properties.toArray(String[]::new));
		stores = writers.with("scenario.store=true");
		naive = stores.with("scenario.naive=true");
		unfenced = naive.sabotaged(Sabotage.script(TAKE, "if holder and holder ~= mine then", "if false then"));
		forgetful = naive.sabotaged(Sabotage.script(TAKE, "take_all('0')", ""));
	}

	@AfterAll
	static void close() {
		writers.close();
	}

	@BeforeEach
	void mend() {
		writers.reset();
	}

	@Test
	@FirstRun
	void storesKilledWithChangesInTheirHands() throws Exception {
		String fault = "kill -9 of instances that write behind";
		FaultRun run = FaultRun.of("cache", fault, KEPT).atLeast(30L * KILLS, KILLS);
		WriteBehindScenario.killed(run, writers.one(), naive.two(), PLACES, KILLS, REST);
		run.verify();
		withoutProtection(fault, (sabotaged) -> WriteBehindScenario.killed(sabotaged, writers.one(), forgetful.one(),
				List.of(WRITING), 4, SABOTAGED_REST));
	}

	@Test
	void storeSlowerThanItsLease() throws Exception {
		String fault = "store slower than the lease";
		FaultRun run = FaultRun.of("cache", fault, KEPT).atLeast(2, 1);
		WriteBehindScenario.held(run, writers.one(), naive.one(), naive.second(), WRITING, WRITTEN, false,
				LEASE.multipliedBy(2), REST);
		run.verify();
		withoutProtection(fault, (sabotaged) -> WriteBehindScenario.held(sabotaged, writers.one(), naive.one(),
				unfenced.one(), WRITING, WRITTEN, false, LEASE.multipliedBy(4), REST));
	}

	@Test
	void storePausedBeyondItsLeaseAndResumed() throws Exception {
		String fault = "store paused beyond its lease and resumed";
		FaultRun run = FaultRun.of("cache", fault, KEPT).atLeast(2, 1);
		WriteBehindScenario.held(run, writers.one(), stores.one(), stores.second(), WRITING, WRITTEN, true,
				Duration.ZERO, REST);
		run.verify();
		withoutProtection(fault, (sabotaged) -> WriteBehindScenario.held(sabotaged, writers.one(), naive.one(),
				naive.second(), WRITING, WRITTEN, true, Duration.ZERO, SABOTAGED_REST));
	}

	@Test
	void redisKilledUnderChanges() throws Exception {
		underLoad(writers.redisKilled());
	}

	@Test
	@FirstRun
	void networkCutUnderChanges() throws Exception {
		underLoad(writers.networkCut());
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		Fault failover = writers.failover();
		String promise = "what comes after a failover is written, over all that came before";
		FaultRun run = FaultRun.of("cache", failover.name() + ", written behind", promise).atLeast(80, 1);
		WriteBehindScenario.throughLoss(run, writers.replicated(writers.one()), stores.two(), failover, REST);
		run.verify();
		Site counting = writers.sabotaged(Sabotage.script(APPEND, "math.max(last + 1, seen + 1, now)", "last + 1"));
		withoutProtection(failover.name(), (sabotaged) -> WriteBehindScenario.throughLoss(sabotaged,
				writers.replicated(counting.one()), stores.two(), failover, SABOTAGED_REST));
	}

	private static void underLoad(Fault fault) throws Exception {
		FaultRun run = FaultRun.of("cache", fault.name() + ", written behind", KEPT).atLeast(40, 1);
		WriteBehindScenario.underLoad(run, writers.one(), stores.two(), fault, Duration.ofMillis(700), REST);
		run.verify();
	}

	private static void withoutProtection(String fault, FaultRun.Body body) throws Exception {
		FaultRun.of("cache", fault, KEPT).assertMissed(body);
	}

}
