// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.scenario.RateLimitScenario;

/**
 * The scenarios of rate limits.
 */
final class RateLimitFaults {

	private static final String LIMIT = "in no window more than the limit";

	private static final String LIMIT_BETWEEN = "in no window between two losses more than the limit";

	/** The peers count in milliseconds; that is not what this is about. */
	private static final Duration GRAIN = Duration.ofMillis(2);

	/** Redisson waits for an answer for 3 s, and then for its next attempt. */
	private static final Duration RECOVERY = Duration.ofSeconds(12);

	private static final Duration APART = Duration.ofMillis(60);

	private static final Subject OURS = new Subject(Outcome.OURS, GeRateLimit.class,
			"ge.redis.outage.command-timeout=2s");

	private static final Subject REDISSON = new Subject("Redisson RRateLimiter", RedissonRateLimit.class);

	private static final Subject HALF_BUCKET = new Subject("Bucket4j, half the limit", Bucket4jRateLimit.class,
			"peer.permits=" + RateLimitScenario.LIMIT / 2);

	private static final Subject WHOLE_BUCKET = new Subject("Bucket4j, the limit", Bucket4jRateLimit.class,
			"peer.permits=" + RateLimitScenario.LIMIT);

	private final List<Play> plays = new ArrayList<>();

	static List<Play> plays() {
		RateLimitFaults faults = new RateLimitFaults();
		Consumer<RateLimitScenario> nothing = (scenario) -> scenario
			.repeatedly((redis) -> redis.primary().command("PING"), APART, true);
		faults.add("nothing (for comparison)", "no call fails, " + LIMIT, nothing);
		faults.add(WHOLE_BUCKET, "nothing (for comparison)", "no call fails, " + LIMIT, nothing);
		faults.add("instances killed under load", LIMIT, RateLimitScenario::instancesKilledUnderLoad);
		faults.add("SCRIPT FLUSH while running", "no call fails, " + LIMIT,
				(scenario) -> scenario.repeatedly((redis) -> redis.primary().command("SCRIPT", "FLUSH"), APART, true));
		faults.add("all connections cut again and again", LIMIT,
				(scenario) -> scenario.repeatedly(
						(redis) -> redis.primary().command("CLIENT", "KILL", "TYPE", "normal"), APART.multipliedBy(4),
						false));
		faults.add("Redis hung and resumed", LIMIT, RateLimitScenario::redisHungAndResumed);
		faults.add("Redis killed under load, restarted without its data", LIMIT_BETWEEN,
				(scenario) -> scenario.recovery(RECOVERY).dataLost(RateLimitFaults::restart));
		faults.add("FLUSHALL while running", LIMIT_BETWEEN, (scenario) -> scenario.dataLost(StandaloneRedis::flushAll));
		faults.add("clock of one instance 5 minutes ahead", LIMIT,
				RateLimitScenario::clockOfOneInstanceFiveMinutesAhead);
		faults.add("500 ms of latency", LIMIT, RateLimitScenario::halfASecondOfLatency);
		return faults.plays;
	}

	private static void restart(StandaloneRedis redis) {
		redis.primary().kill();
		redis.primary().start();
	}

	private void add(String fault, String promise, Consumer<RateLimitScenario> body) {
		add(OURS, fault, promise, body);
		add(REDISSON, fault, promise, body);
		add(HALF_BUCKET, fault, promise, body);
	}

	private void add(Subject subject, String fault, String promise, Consumer<RateLimitScenario> body) {
		FaultRun run = FaultRun.of("rate limit", fault, promise).subject(subject.name());
		this.plays.add(new Play(run, () -> {
			try (RateLimitScenario scenario = new RateLimitScenario(run, subject.application())
				.with(subject.properties())
				.grain(GRAIN)) {
				body.accept(scenario);
			}
		}));
	}

}
