// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.stream.IntStream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.TestBackend;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connections to the servers of a Cluster.
 */
@Wide
class ClusterConnectionIntegrationTests {

	private static final LuaScript PROBE = LuaScript.load(RedisBackend.class, "probe.lua");

	@Test
	void firstCallsFindTheirConnectionsOpen() {
		try (ClusterRedis redis = RedisServers.cluster(); TestBackend backend = TestBackend.on(redis)) {
			Awaitility.await().until(() -> backend.get().bus().isSubscribed());
			long before = opened(redis);
			for (int i = 0; i < 50; i++) {
				RedisKey key = backend.get().keys("test").entity(KeyPart.of("entity-" + i));
				GuardedRedis door = backend.get().redis("test");
				Waiting.await(door.run(ScriptCall.of(PROBE, key), door.newBudget()));
			}
			assertThat(opened(redis)).isEqualTo(before);
			// One for each server, and the one for commands without a key
			assertThat(before).isEqualTo(4);
		}
	}

	@Test
	void freshConnectionIsMadeAlthoughOneServerHangs() {
		try (ClusterRedis redis = RedisServers.cluster("cluster-require-full-coverage no");
				TestBackend backend = TestBackend.on(redis)) {
			redis.nodes().get(1).pause();
			Waiting.await(backend.get().connection().reopen(Duration.ofSeconds(5)));
			redis.nodes().get(1).resume();
		}
	}

	@Test
	void takeoverIsFollowedWithoutWaitingForTheFormerPrimaryThatHangs() {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1, "cluster-require-full-coverage no",
				"cluster-node-timeout 15000"); TestBackend backend = TestBackend.on(redis)) {
			RedisNode hung = redis.nodes().get(1);
			byte[] key = IntStream.range(0, 50)
				.mapToObj((i) -> "key-" + i)
				.filter((name) -> redis.primaryFor(name) == hung)
				.findFirst()
				.orElseThrow()
				.getBytes();
			Awaitility.await().until(() -> backend.get().connection().shardOf(key) != null);
			hung.pause();
			redis.nodes().get(4).command("CLUSTER", "FAILOVER", "TAKEOVER");
			redis.awaitFailover(hung);
			Stopwatch watch = Stopwatch.start();
			for (int i = 0; i < 10; i++) {
				Waiting.await(backend.get().connection().awaken(key, Duration.ofSeconds(5)));
			}
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(2));
			hung.resume();
		}
	}

	private static long opened(ClusterRedis redis) {
		return redis.nodes().stream().mapToLong(ClusterConnectionIntegrationTests::connections).sum();
	}

	private static long connections(RedisNode node) {
		return String.valueOf(node.command("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((client) -> client.contains(" name=ge-redis-guards "))
			.count();
	}

}
