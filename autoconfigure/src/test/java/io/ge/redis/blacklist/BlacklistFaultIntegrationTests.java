/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;

import io.ge.redis.test.fault.Fault;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.BlacklistApplication;
import io.ge.redis.test.scenario.BlacklistScenario;
import io.ge.redis.test.scenario.Fleet;
import io.ge.redis.test.scenario.Site;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What revoked tokens are good for while things go wrong: nothing.
 */
class BlacklistFaultIntegrationTests {

	private static final String REFUSED = "a revoked token is refused from the moment revoke returns";

	private static final String REVOKE = "io/ge/redis/blacklist/revoke.lua";

	private static final String CLOCK = "local clock = redis.call('TIME') -- the only reading of time";

	private static final String WRITE = "redis.call('SET', KEYS[1], '1', 'PXAT', string.format('%.0f', stands_until))";

	private static Site site;

	/** Lets everybody in while Redis does not answer. */
	private static Site open;

	/** Says that tokens are revoked, and writes nothing down. */
	private static Site forgetful;

	@BeforeAll
	static void build() {
		site = Site.of(BlacklistApplication.class);
		open = site.with("ge.redis.blacklist.on-outage=allow");
		forgetful = site.sabotaged(Sabotage.script(REVOKE, WRITE, ""));
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
	void redisKilledAndStartedWithWhatItHasOnDisk() throws Exception {
		underLoad(site.redisKilled(), Site.outage(Duration.ofMillis(700)), open);
	}

	@Test
	void redisHungAndResumed() throws Exception {
		underLoad(site.redisHung(), Duration.ofMillis(700), open);
	}

	@Test
	void networkCut() throws Exception {
		underLoad(site.networkCut(), Duration.ofMillis(700), open);
	}

	@Test
	void halfASecondOfLatency() throws Exception {
		underLoad(site.latency(Duration.ofMillis(500)), Duration.ofMillis(1200), open);
	}

	@Test
	void allConnectionsKilled() throws Exception {
		underLoad(site.connectionsKilled(), Duration.ZERO, open);
	}

	@Test
	void onlyThePushConnectionCut() throws Exception {
		underLoad(site.pushCut(), Duration.ofMillis(300), forgetful);
	}

	@Test
	void memoryLimitReachedWithNoeviction() throws Exception {
		underLoad(site.memoryFull(), Duration.ofMillis(300), forgetful);
	}

	@Test
	void revokerKilledRightAfterRevokeReturned() throws Exception {
		FaultRun run = FaultRun.of("blacklist", "instance killed right after revoke returned", REFUSED).atLeast(20, 1);
		BlacklistScenario.revokerKilled(run, site.one(), site.second());
		run.verify();
		withoutProtection("instance killed right after revoke returned",
				(sabotaged) -> BlacklistScenario.revokerKilled(sabotaged, forgetful.one(), site.one()));
	}

	@Test
	void oneClockFiveMinutesAhead() throws Exception {
		FaultRun run = FaultRun.of("blacklist", "clock 5 minutes ahead", REFUSED).atLeast(100, 1);
		BlacklistScenario.clocksDisagree(run, site.clockAhead(Duration.ofMinutes(5)).one(), site.one());
		run.verify();
		Site clientTime = site.sabotaged(Sabotage.script(REVOKE, CLOCK,
				"local clock = redis.call('TIME')\nclock[1] = tonumber(clock[1]) + 300"));
		withoutProtection("clock 5 minutes ahead",
				(sabotaged) -> BlacklistScenario.clocksDisagree(sabotaged, clientTime.one(), site.one()));
	}

	@Test
	void everythingFlushed() throws Exception {
		afterLoss(afterwards(site.flushed()), site.two(), forgetful.one());
	}

	@Test
	void evictionWithAllkeysLru() throws Exception {
		afterLoss(afterwards(site.evicting()), site.two(), forgetful.one());
	}

	@Test
	void failoverToALaggingReplica() throws Exception {
		afterLoss(site.failover(), site.replicated(site.two()), site.replicated(forgetful.one()));
	}

	private static void underLoad(Fault fault, Duration lasting, Site unprotected) throws Exception {
		FaultRun run = FaultRun.of("blacklist", fault.name(), REFUSED).atLeast(150, 1);
		BlacklistScenario.underLoad(run, site.two(), fault, lasting);
		run.verify();
		withoutProtection(fault.name(),
				(sabotaged) -> BlacklistScenario.underLoad(sabotaged, unprotected.one(), fault, lasting));
	}

	private static void afterLoss(Fault fault, Fleet instances, Fleet unprotected) throws Exception {
		FaultRun run = FaultRun.of("blacklist", fault.name(), "what is revoked afterwards is refused").atLeast(100, 1);
		BlacklistScenario.afterLoss(run, instances, fault);
		run.verify();
		withoutProtection(fault.name(), (sabotaged) -> BlacklistScenario.afterLoss(sabotaged, unprotected, fault));
	}

	private static Fault afterwards(Fault fault) {
		return Fault.of(fault.name(), () -> {
		}, () -> {
			fault.inject();
			fault.heal();
		});
	}

	private static void withoutProtection(String fault, FaultRun.Body body) throws Exception {
		FaultRun.of("blacklist", fault, REFUSED).assertMissed(body);
	}

}
