// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.outage;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SentinelRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
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
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1, "cluster-require-full-coverage no");
				FailoverRun run = new FailoverRun(redis, redis.properties())) {
			RedisNode hung = redis.nodes().get(2);
			hung.pause();
			try {
				redis.awaitFailover(hung);
				Stopwatch watch = Stopwatch.start();
				run.awaitWorking();
				assertThat(watch.elapsed()).isLessThan(SOON.plus(SOON));
			}
			finally {
				hung.resume();
			}
		}
	}

	private static boolean hasGuards(RedisNode server) {
		return String.valueOf(server.command("CLIENT", "LIST")).contains("name=ge-redis-guards");
	}

}
