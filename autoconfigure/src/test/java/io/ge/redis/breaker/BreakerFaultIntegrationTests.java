// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import io.ge.redis.test.FirstRun;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.ProtectionOff;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.BreakerApplication;
import io.ge.redis.test.scenario.BreakerScenario;
import io.ge.redis.test.scenario.Site;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The circuit of three instances whose supplier fails, while other things go wrong.
 */
@Wide
class BreakerFaultIntegrationTests {

	private static final String REFUSED = "refused while the supplier fails, not afterwards, and never held up";

	private static final String ALONE = "a sick instance opens its own breaker only";

	private static final String PROBES = "never more probes than configured, and recovery without those that died";

	private static final String KILL = "kill -9 of two instances with probes";

	private static final String REPORT = "io/ge/redis/breaker/report.lua";

	private static final String SETTINGS = "ge.redis.breaker.breakers.supplier";

	private static Site site;

	@BeforeAll
	static void build() {
		site = Site.of(BreakerApplication.class, SETTINGS + ".window=2s", SETTINGS + ".open-for=300ms",
				SETTINGS + ".max-open-for=1s", SETTINGS + ".probes=2", SETTINGS + ".probe-lease=4s",
				"ge.redis.outage.command-timeout=3s");
	}

	@AfterAll
	static void close() {
		site.close();
	}

	@AfterEach
	void mend() {
		site.reset();
	}

	@Test
	void nothingElseGoesWrong() throws Exception {
		outage(null, 3);
	}

	@Test
	void oneInstanceHasTheWholeLoad() throws Exception {
		outage(null, 1);
	}

	@Test
	@FirstRun
	void redisHung() throws Exception {
		outage(site.redisHung(), 3);
	}

	@Test
	void redisKilled() throws Exception {
		outage(site.redisKilled(), 3);
	}

	@Test
	void networkCut() throws Exception {
		outage(site.networkCut(), 3);
	}

	@Test
	void memoryFull() throws Exception {
		outage(site.memoryFull(), 3);
	}

	@Test
	void redisFlushed() throws Exception {
		outage(site.flushed(), 3);
	}

	@Test
	void messagesLost() throws Exception {
		outage(site.pushCut(), 3);
	}

	private static void outage(@Nullable Fault fault, int instances) throws Exception {
		FaultRun run = FaultRun.of("breaker", (fault != null) ? fault.name() : "none", REFUSED)
			.atLeast(100, (fault != null) ? 1 : 0);
		BreakerScenario.outage(run, site, () -> site.instances(instances), fault, 150);
		run.verify();
	}

	@Test
	void sickInstance() throws Exception {
		FaultRun run = FaultRun.of("breaker", "one sick instance", ALONE).atLeast(100, 1);
		BreakerScenario.sick(run, site, () -> site.instances(3));
		run.verify();
	}

	@Test
	@ProtectionOff
	void oneVoteIsEnoughForASickInstanceWithoutTheMajority() throws Exception {
		Site hasty = site.sabotaged(Sabotage.script(REPORT, (text) -> text.replace(
				"votes * 2 > electorate and votes >= math.min(2, live) and calls >= minimum and bad * 100 >= kind[2] * calls",
				"votes > 0")));
		FaultRun.of("breaker", "one sick instance", ALONE)
			.assertMissed((sabotaged) -> BreakerScenario.sick(sabotaged, hasty, () -> hasty.instances(3)));
	}

	@Test
	@FirstRun
	void instancesKilledWithProbes() throws Exception {
		FaultRun run = FaultRun.of("breaker", KILL, PROBES).atLeast(100, 1);
		BreakerScenario.probesDie(run, site, () -> site.instances(3), 2);
		run.verify();
	}

	@Test
	@ProtectionOff
	void circuitStaysOpenIfLeasesDoNotEnd() throws Exception {
		Site keeping = site.sabotaged(Sabotage.script(REPORT, "  endLeases(now)\n", ""));
		FaultRun.of("breaker", KILL, PROBES)
			.assertMissed((sabotaged) -> BreakerScenario.probesDie(sabotaged, keeping, () -> keeping.instances(3), 2));
	}

	@Test
	@ProtectionOff
	void moreProbesThanConfiguredIfTheyAreNotCounted() throws Exception {
		Site generous = site.sabotaged(Sabotage.script(REPORT, "taken < probes", "taken < 99"));
		FaultRun.of("breaker", KILL, PROBES)
			.assertMissed(
					(sabotaged) -> BreakerScenario.probesDie(sabotaged, generous, () -> generous.instances(3), 2));
	}

}
