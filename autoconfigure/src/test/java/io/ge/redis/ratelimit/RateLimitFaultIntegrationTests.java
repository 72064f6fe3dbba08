/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.function.Consumer;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.ProtectionOff;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.RateLimitScenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What rate limits suffer and still promise. Each scenario is shown to fail where the
 * protection it is about is turned off.
 */
class RateLimitFaultIntegrationTests {

	private static final String LIMIT = "in no window more than the limit";

	private static final String LIMIT_BETWEEN = "in no window between two losses more than the limit";

	/** Admits twice as many. */
	private static final Sabotage NO_GATE = Sabotage.script("io/ge/redis/ratelimit/decide.lua",
			"limit.available = limit.limit - (limit.size", "limit.available = 2 * limit.limit - (limit.size");

	/** A machine that is busy is no outage. */
	private static final String PATIENT = "ge.redis.outage.command-timeout=2s";

	private static final Duration APART = Duration.ofMillis(60);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instancesKilledUnderLoad() {
		passes("instances killed under load", LIMIT, 1, RateLimitScenario::instancesKilledUnderLoad, PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instancesKilledUnderLoadAreMissedWithoutGate() {
		fails(RateLimitScenario::instancesKilledUnderLoad, NO_GATE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void scriptFlushWhileRunning() {
		passes("SCRIPT FLUSH while running", "no call fails, " + LIMIT, 5,
				(scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::flushScripts, APART, true), PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void scriptFlushWhileRunningIsMissedIfScriptsAreNotSentAgain() {
		fails((scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::flushScripts, APART, true),
				Sabotage.answer("io.ge.redis.core.script.ReplyErrors", "isNoScript", false));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void connectionsCutAgainAndAgain() {
		passes("all connections cut again and again", LIMIT, 5,
				(scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::cut, APART.multipliedBy(4), false),
				PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void connectionsCutAgainAndAgainAreMissedWithoutGate() {
		fails((scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::cut, APART.multipliedBy(4), false),
				NO_GATE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumed() {
		passes("Redis hung beyond the budget and resumed", LIMIT, 1, RateLimitScenario::redisHungAndResumed);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumedIsMissedWithoutGate() {
		fails(RateLimitScenario::redisHungAndResumed, NO_GATE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisRestartedWithoutItsDataUnderLoad() {
		passes("Redis killed under load, restarted without its data", LIMIT_BETWEEN, 1,
				(scenario) -> scenario.dataLost(RateLimitFaultIntegrationTests::restart));
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void redisRestartedWithoutItsDataIsMissedWithoutGate() {
		fails((scenario) -> scenario.dataLost(RateLimitFaultIntegrationTests::restart), NO_GATE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileRunning() {
		passes("FLUSHALL while running", LIMIT_BETWEEN, 1, (scenario) -> scenario.dataLost(StandaloneRedis::flushAll),
				PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileRunningIsMissedWithoutGate() {
		fails((scenario) -> scenario.dataLost(StandaloneRedis::flushAll), NO_GATE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void clockOfOneInstanceFiveMinutesAhead() {
		passes("clock of one instance 5 minutes ahead", LIMIT, 1, RateLimitScenario::clockOfOneInstanceFiveMinutesAhead,
				PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void clockOfOneInstanceFiveMinutesAheadIsMissedByALimitThatAsksTheClock() {
		fails((scenario) -> scenario.with("test.wall-clock=true").clockOfOneInstanceFiveMinutesAhead());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void halfASecondOfLatency() {
		passes("500 ms of latency", LIMIT, 1, RateLimitScenario::halfASecondOfLatency, PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void halfASecondOfLatencyIsMissedWithoutGate() {
		fails(RateLimitScenario::halfASecondOfLatency, NO_GATE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void localSharesWhileRedisIsAway() {
		passes("Redis killed, instances decide alone", "no instance admits more than its share of the limit", 1,
				RateLimitScenario::localSharesWhileRedisIsAway, "test.on-outage=local");
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void localSharesAreMissedIfInstancesAreDividedByOne() {
		fails((scenario) -> scenario.with("test.on-outage=local").localSharesWhileRedisIsAway(),
				Sabotage.answer(InstanceBus.class, "liveInstances", 1));
	}

	private static void flushScripts(StandaloneRedis redis) {
		redis.primary().command("SCRIPT", "FLUSH");
	}

	private static void cut(StandaloneRedis redis) {
		redis.primary().command("CLIENT", "KILL", "TYPE", "normal");
	}

	private static void restart(StandaloneRedis redis) {
		redis.primary().kill();
		redis.primary().start();
	}

	private static void passes(String fault, String promise, int faults, Consumer<RateLimitScenario> body,
			String... properties) {
		FaultRun run = FaultRun.of("rate limit", fault, promise).atLeast(100, faults);
		try (RateLimitScenario scenario = new RateLimitScenario(run, RateLimitFaultApplication.class)
			.with(properties)) {
			body.accept(scenario);
		}
		run.verify();
	}

	private static void fails(Consumer<RateLimitScenario> body, Sabotage... sabotage) {
		FaultRun run = FaultRun.of("rate limit", "sabotaged", "none").once();
		try (RateLimitScenario scenario = new RateLimitScenario(run, RateLimitFaultApplication.class, sabotage)
			.with(PATIENT)) {
			body.accept(scenario);
		}
		assertThat(run.violations()).isNotEmpty();
	}

}
