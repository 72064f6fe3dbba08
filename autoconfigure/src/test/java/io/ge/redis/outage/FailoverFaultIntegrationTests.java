// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;

import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SentinelRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Another server becomes the primary under load. Each scenario has one beside it in which
 * the protection is off.
 */
@Wide
class FailoverFaultIntegrationTests {

	/** The target is one second; a busy machine may need another. */
	private static final Duration SOON = Duration.ofSeconds(2);

	private static final String PARTIAL = "cluster-require-full-coverage no";

	private static final String WITHOUT_REPAIR = "ge.redis.outage.failover-repair=0s";

	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void plannedFailoverOfSentinelIsFollowedAndNothingAcknowledgedIsLost(int replicas) throws Exception {
		try (SentinelRedis redis = RedisServers.ofThisRun().sentinelWithReplicas(replicas);
				FailoverRun run = new FailoverRun(redis, redis.properties())) {
			RedisNode former = redis.primary();
			redis.failOver();
			redis.awaitFailover(former);
			Stopwatch.within(SOON, () -> !hasGuards(former));
			run.awaitWorking();
			assertThat(run.failures().values()).allMatch((failing) -> failing.compareTo(SOON) < 0);
			assertThat(run.lost()).isEqualTo(Map.of("revocations", 0L, "locks", 0L, "locks held twice", 0L));
		}
	}

	@Test
	void isSeenWhereNothingIsRepaired() throws Exception {
		try (SentinelRedis redis = RedisServers.sentinel();
				FailoverRun run = new FailoverRun(redis, redis.properties(), WITHOUT_REPAIR)) {
			RedisNode former = redis.primary();
			redis.failOver();
			redis.awaitFailover(former);
			run.awaitWorking();
			Map<String, Long> lost = run.lost();
			assertThat(lost.get("revocations")).isPositive();
			assertThat(lost.get("locks") + lost.get("locks held twice")).isPositive();
		}
	}

	@Test
	void isSeenWhereSentinelIsNotFollowed() throws Exception {
		try (SentinelRedis redis = RedisServers.sentinel()) {
			RedisNode former = redis.primary();
			String[] alone = { "spring.data.redis.host=" + former.host(), "spring.data.redis.port=" + former.port() };
			try (FailoverRun run = new FailoverRun(redis, alone)) {
				redis.failOver();
				redis.awaitFailover(former);
				run.awaitWorking();
				assertThat(hasGuards(former)).isTrue();
				assertThat(run.lost().get("locks held twice")).isPositive();
			}
		}
	}

	@Test
	void hangingPrimaryOfAClusterIsLeftSoonAfterTheTakeover() throws Exception {
		withHangingPrimary((run, takeover) -> {
			run.awaitWorking();
			assertThat(run.failingAfter(takeover)).isLessThan(SOON);
		});
	}

	@Test
	void isSeenWhereNoBreakerAsksForTheTakeover() throws Exception {
		withHangingPrimary(
				(run, takeover) -> Awaitility.await().until(() -> run.failingAfter(takeover).compareTo(SOON) > 0),
				"ge.redis.outage.failure-threshold=1000000");
	}

	private static void withHangingPrimary(BiConsumer<FailoverRun, Long> check, String... properties) {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1, PARTIAL);
				FailoverRun run = new FailoverRun(redis, redis.properties(), properties)) {
			RedisNode hung = redis.nodes().get(2);
			hung.pause();
			try {
				redis.awaitFailover(hung);
				check.accept(run, System.nanoTime());
			}
			finally {
				hung.resume();
			}
		}
	}

	@Test
	void deadPrimaryOfAClusterIsOneLineForEachTransition() {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1, PARTIAL);
				FailoverRun run = new FailoverRun(redis, redis.properties());
				LogLines log = new LogLines("io.lettuce", "io.ge.redis")) {
			RedisNode dead = redis.nodes().get(2);
			dead.kill();
			redis.awaitFailover(dead);
			run.awaitWorking();
			assertThat(log.about(dead)).filteredOn((line) -> line.startsWith("io.ge.redis"))
				.satisfiesExactly((line) -> assertThat(line).contains("is unavailable"),
						(line) -> assertThat(line).contains("answers again"));
			assertThat(log.about(dead)).filteredOn((line) -> line.startsWith("io.lettuce")).hasSizeLessThan(6);
			// It stays in the map of the servers
			log.clear();
			run.awaitWorking();
			run.awaitWorking();
			assertThat(log.about(dead)).isEmpty();
		}
	}

	private static boolean hasGuards(RedisNode server) {
		return String.valueOf(server.command("CLIENT", "LIST")).contains("name=ge-redis-guards");
	}

}
