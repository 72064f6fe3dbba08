// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.SessionApplication;
import io.ge.redis.test.scenario.Site;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.awaitility.Awaitility.await;

/**
 * Users of three processes log in, change their sessions and log out, whatever goes
 * wrong.
 */
@Wide
class SessionFaultIntegrationTests {

	private static final String KEPT = "no session returns, and none is lost before its end";

	private static final int LOGINS = 100;

	private static Site site;

	/** A request that has loaded a session before its end makes it again. */
	private static Site careless;

	@BeforeAll
	static void build() {
		site = Site.of(SessionApplication.class, "ge.redis.outage.command-timeout=500ms",
				"ge.redis.session.enabled=true");
		careless = site.sabotaged(Sabotage.script("io/ge/redis/session/save.lua",
				"if not found[1] and (found[2] or not new) then", "if false then"));
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
		verify(null);
	}

	@Test
	void networkCut() throws Exception {
		verify(site.networkCut());
	}

	@Test
	void redisHung() throws Exception {
		verify(site.redisHung());
	}

	@Test
	void redisKilled() throws Exception {
		verify(site.redisKilled());
	}

	@Test
	void connectionsKilled() throws Exception {
		verify(site.connectionsKilled());
	}

	@Test
	void instanceKilled() throws Exception {
		verify(Fault.of("kill -9 of an instance", () -> site.instances(3).get(2).kill()));
	}

	@Test
	void sessionsReturnWhereSaversDoNotCheck() throws Exception {
		FaultRun.of("session", "none", KEPT).assertMissed((sabotaged) -> play(sabotaged, careless, null));
	}

	private static void verify(@Nullable Fault fault) throws Exception {
		FaultRun run = FaultRun.of("session", (fault != null) ? fault.name() : "none", KEPT)
			.atLeast(2 * LOGINS, (fault != null) ? 1 : 0);
		play(run, site, fault);
		run.verify();
	}

	private static int logins(Instance instance) {
		return Integer.parseInt(instance.get("logins"));
	}

	private static void play(FaultRun run, Site site, @Nullable Fault fault) throws Exception {
		while (run.next()) {
			site.reset();
			List<Instance> instances = site.instances(3);
			List<CompletableFuture<String>> working = new ArrayList<>();
			Map<Instance, Integer> ended = new HashMap<>();
			for (Instance instance : instances) {
				ended.put(instance, logins(instance));
				working.add(instance.call("work", instance.name() + "-" + run.round() + "-", String.valueOf(LOGINS)));
			}
			if (fault != null) {
				for (Instance instance : instances) {
					int before = ended.get(instance);
					await().until(() -> logins(instance) > before);
				}
				run.inject(fault);
				TimeUnit.SECONDS.sleep(1);
				run.heal(fault);
			}
			for (int i = 0; i < instances.size(); i++) {
				if (instances.get(i).isRunning()) {
					run.require(working.get(i).get(2, TimeUnit.MINUTES).isEmpty(), working.get(i).join());
					run.operations(LOGINS);
				}
			}
		}
	}

}
