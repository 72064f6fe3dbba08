// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.function.Consumer;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.fault.ProtectionOff;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.scenario.RateLimitScenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What rate limits suffer and still promise. Each scenario is shown to fail where the
 * protection it is about is turned off.
 */
@Wide
class RateLimitFaultIntegrationTests {

	private static final String LIMIT = "in no window more than the limit";

	private static final String LIMIT_BETWEEN = "in no window between two losses more than the limit";

	private static final String DENIED = "nobody is refused for longer than said, at most once more the limit";

	/** Reads a clock that runs twice as fast, so that windows end too early. */
	private static final Sabotage FAST_CLOCK = Sabotage.script("io/ge/redis/ratelimit/decide.lua", (script) -> script
		.replaceFirst("(\\w+\\.)?call\\('TIME'\\)", "(function() local t = $0 return {t[1] * 2, t[2] * 2} end)()"));

	/** Admits at once who should wait. */
	private static final Sabotage NO_TURNS = Sabotage.answer(RedisDecision.class, "isLater", false);

	/** Refuses from memory although news can be missing. */
	private static final Sabotage[] DEAF = { Sabotage.answer(DenyCache.class, "isCertain", true),
			Sabotage.skip(DenyCache.class, "clear") };

	/** Refuses from memory without end, be the machine too busy for news. */
	private static final Sabotage[] ENDLESS_DENIAL = { Sabotage.answer(Denial.class, "appliesTo", true), DEAF[0],
			DEAF[1] };

	/** Asks Redis however often it did not answer. */
	private static final Sabotage NO_BREAKER = Sabotage.skip("io.ge.redis.core.outage.Breaker", "openCause");

	/** A machine that is busy is no outage. */
	private static final String PATIENT = "ge.redis.outage.command-timeout=2s";

	/** Publishers ask instead of threads. */
	private static final String REACTIVE = "test.reactive=true";

	private static final Duration APART = Duration.ofMillis(60);

	@Test
	@FirstRun
	@Execution(ExecutionMode.CONCURRENT)
	void instancesKilledUnderLoad() {
		passes("instances killed under load", LIMIT, 1, RateLimitScenario::instancesKilledUnderLoad, PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instancesKilledUnderLoadAreMissedIfTheClockRunsTooFast() throws Exception {
		fails(RateLimitScenario::instancesKilledUnderLoad, FAST_CLOCK);
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
	void scriptFlushWhileRunningIsMissedIfScriptsAreNotSentAgain() throws Exception {
		fails((scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::flushScripts, APART, true),
				Sabotage.answer("io.ge.redis.core.connection.ReplyErrors", "isNoScript", false));
	}

	@Test
	@FirstRun
	@Execution(ExecutionMode.CONCURRENT)
	void connectionsCutAgainAndAgain() {
		passes("all connections cut again and again", LIMIT, 5,
				(scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::cut, APART.multipliedBy(4), false),
				PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void connectionsCutAgainAndAgainAreMissedIfTheClockRunsTooFast() throws Exception {
		fails((scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::cut, APART.multipliedBy(4), false),
				FAST_CLOCK);
	}

	@Test
	@FirstRun
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumed() {
		passes("Redis hung beyond the budget and resumed", LIMIT, 1, RateLimitScenario::redisHungAndResumed);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndResumedIsMissedIfTheClockRunsTooFast() throws Exception {
		fails(RateLimitScenario::redisHungAndResumed, FAST_CLOCK);
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
	void redisRestartedWithoutItsDataIsMissedIfTheClockRunsTooFast() throws Exception {
		fails((scenario) -> scenario.dataLost(RateLimitFaultIntegrationTests::restart), FAST_CLOCK);
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
	void flushAllWhileRunningIsMissedIfTheClockRunsTooFast() throws Exception {
		fails((scenario) -> scenario.dataLost(StandaloneRedis::flushAll), FAST_CLOCK);
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
	void clockOfOneInstanceFiveMinutesAheadIsMissedByALimitThatAsksTheClock() throws Exception {
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
	void halfASecondOfLatencyIsMissedIfTheClockRunsTooFast() throws Exception {
		fails(RateLimitScenario::halfASecondOfLatency, FAST_CLOCK);
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
	void localSharesAreMissedIfInstancesAreDividedByOne() throws Exception {
		fails((scenario) -> scenario.with("test.on-outage=local").localSharesWhileRedisIsAway(),
				Sabotage.answer(InstanceBus.class, "liveInstances", 1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void manyInstancesWithManyThreads() {
		passes("everybody at once, 16 threads per instance", LIMIT + ", by the times inside the script", 1,
				RateLimitScenario::manyInstancesWithManyThreads, PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void manyInstancesWithManyThreadsAreMissedIfTheClockRunsTooFast() throws Exception {
		fails(RateLimitScenario::manyInstancesWithManyThreads, FAST_CLOCK);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instanceWithWaitersKilled() {
		FaultRun run = FaultRun.of("rate limit", "instance killed whose callers wait for their turn",
				"the others go on in their order, " + LIMIT);
		passes(run.atLeast(32, 1), RateLimitScenario::instanceWithWaitersKilled, PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instanceWithWaitersKilledIsMissedIfNobodyWaits() throws Exception {
		fails(RateLimitScenario::instanceWithWaitersKilled, NO_TURNS);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void pushCutWhileLimitsChange() {
		FaultRun run = FaultRun.of("rate limit", "push connection cut while a limit is reset, then raised",
				"who is refused is let in within 2 s");
		passes(run.atLeast(RateLimitScenario.ENOUGH, 1), RateLimitScenario::pushCutWhileLimitsChange, PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void pushCutWhileLimitsChangeIsMissedIfDenialsHoldThoughNewsAreMissing() throws Exception {
		fails(RateLimitScenario::pushCutWhileLimitsChange, DEAF);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndDecidedAlone() {
		passes("Redis hung, instances decide alone",
				"only the first calls wait, no instance admits more than its share, back within 2 s", 1,
				RateLimitScenario::redisHungAndDecidedAlone);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungAndDecidedAloneIsMissedIfEveryCallAsks() throws Exception {
		fails(RateLimitScenario::redisHungAndDecidedAlone, NO_BREAKER);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileCallersAreRefused() {
		passes("FLUSHALL while callers are refused from memory", DENIED, 1,
				(scenario) -> scenario.dataLostWhileDenied(StandaloneRedis::flushAll), PATIENT);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void flushAllWhileCallersAreRefusedIsMissedIfDenialsDoNotEnd() throws Exception {
		fails((scenario) -> scenario.dataLostWhileDenied(StandaloneRedis::flushAll), ENDLESS_DENIAL);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisRestartedWhileCallersAreRefused() {
		passes("Redis restarted without its data while callers are refused from memory", DENIED, 1,
				(scenario) -> scenario.dataLostWhileDenied(RateLimitFaultIntegrationTests::restart));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void instancesOfPublishersKilledUnderLoad() {
		passes("publishers: instances killed under load", LIMIT, 1, RateLimitScenario::instancesKilledUnderLoad,
				PATIENT, REACTIVE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void connectionsOfPublishersCutAgainAndAgain() {
		passes("publishers: all connections cut again and again", LIMIT, 5,
				(scenario) -> scenario.repeatedly(RateLimitFaultIntegrationTests::cut, APART.multipliedBy(4), false),
				PATIENT, REACTIVE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisHungUnderPublishersAndResumed() {
		passes("publishers: Redis hung beyond the budget and resumed", LIMIT, 1, RateLimitScenario::redisHungAndResumed,
				REACTIVE);
	}

	@Test
	@ProtectionOff
	@Execution(ExecutionMode.CONCURRENT)
	void instancesOfPublishersKilledAreMissedIfTheClockRunsTooFast() throws Exception {
		fails((scenario) -> scenario.with(REACTIVE).instancesKilledUnderLoad(), FAST_CLOCK);
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
		passes(FaultRun.of("rate limit", fault, promise).atLeast(100, faults), body, properties);
	}

	private static void passes(FaultRun run, Consumer<RateLimitScenario> body, String... properties) {
		try (RateLimitScenario scenario = new RateLimitScenario(run, RateLimitFaultApplication.class)
			.with(properties)) {
			body.accept(scenario);
		}
		run.verify();
	}

	private static void fails(Consumer<RateLimitScenario> body, Sabotage... sabotage) throws Exception {
		FaultRun.of("rate limit", "sabotaged", "none").assertMissed((run) -> {
			try (RateLimitScenario scenario = new RateLimitScenario(run, RateLimitFaultApplication.class, sabotage)
				.with(PATIENT)) {
				body.accept(scenario);
			}
		});
	}

}
