// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.Site;
import io.ge.redis.test.scenario.StateApplication;
import io.ge.redis.test.scenario.StateScenario;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Fifty writers of three processes change one workspace, whatever goes wrong.
 */
@Wide
class StateFaultIntegrationTests {

	private static final String KEPT = "versions without gap, each change once";

	private static final String CHANGE = "io/ge/redis/state/change.lua";

	private static final Duration LASTING = Duration.ofSeconds(1);

	private static final int KILLS = 20;

	private static final long PAUSE_MILLIS = 10;

	private static final int WRITERS = 50;

	private static final int STEPS = Wide.RUN ? 200 : 20;

	private static final String[] PROPERTIES = { "ge.redis.outage.command-timeout=500ms",
			"ge.redis.state.max-list-length=100000" };

	private static Site site;

	/** Operations that are sent again are not known. */
	private static Site forgetful;

	@BeforeAll
	static void build() {
		site = Site.of(StateApplication.class, PROPERTIES);
		forgetful = site.sabotaged(Sabotage.script(CHANGE, "if done then", "if false then"));
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
	void nothingGoesWrong() throws Exception {
		written(site::reset, () -> site.instances(3), null, Duration.ZERO);
	}

	@Test
	void connectionsKilled() throws Exception {
		written(site::reset, () -> site.instances(3), site.connectionsKilled(), Duration.ZERO);
	}

	@Test
	void networkCut() throws Exception {
		written(site::reset, () -> site.instances(3), site.networkCut(), LASTING);
	}

	@Test
	void redisHung() throws Exception {
		written(site::reset, () -> site.instances(3), site.redisHung(), LASTING);
	}

	@Test
	void redisKilled() throws Exception {
		written(site::reset, () -> site.instances(3), site.redisKilled(), LASTING);
	}

	@Test
	void onAClusterWhoseConnectionsAreKilled() throws Exception {
		try (ClusterRedis cluster = RedisServers.clusterWithReplicas(1);
				Instances instances = Instances.of(StateApplication.class)
					.with(cluster.properties())
					.with(PROPERTIES)) {
			List<Instance> three = instances.start(3);
			Fault killed = Fault.of("CLIENT KILL on a Cluster", () -> {
				for (int i = 0; i < KILLS; i++) {
					cluster.endpoints().forEach((endpoint) -> endpoint.killClients("normal"));
					TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
				}
			});
			written(cluster::flushAll, () -> three, null, Duration.ZERO);
			written(cluster::flushAll, () -> three, killed, Duration.ZERO);
		}
	}

	private static void written(Runnable reset, Fleet fleet, @Nullable Fault fault, Duration lasting) throws Exception {
		FaultRun run = FaultRun.of("state", (fault != null) ? fault.name() : "none", KEPT)
			.atLeast(WRITERS * STEPS, (fault != null) ? 1 : 0);
		StateScenario.written(run, reset, fleet, fault, lasting, WRITERS, STEPS);
		run.verify();
	}

	@Test
	void operationsThatAreNotKnownAreAppliedTwice() throws Exception {
		FaultRun.of("state", "CLIENT KILL", KEPT)
			.assertMissed((sabotaged) -> StateScenario.written(sabotaged, site::reset, () -> forgetful.instances(3),
					site.connectionsKilled(), Duration.ZERO, WRITERS, STEPS));
	}

}
