// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.UncheckedIOException;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisServers}.
 */
@Wide
class RedisServersIntegrationTests {

	@Test
	void standaloneIsKilledAndStartedOnSamePort() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			RedisNode primary = redis.primary();
			assertThat(primary.command("SET", "key", "value")).isEqualTo("OK");
			primary.kill();
			assertThat(redis.endpoints()).isEmpty();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> primary.command("PING"));
			primary.start();
			assertThat(primary.command("GET", "key")).isNull();
		}
	}

	@Test
	void standaloneKeepsDataOverKillWithAppendOnlyFile() {
		try (StandaloneRedis redis = RedisServers.standalone("appendonly yes", "appendfsync always")) {
			redis.primary().command("SET", "key", "value");
			redis.primary().kill();
			redis.primary().start();
			assertThat(redis.primary().command("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void pausedServerAnswersAfterResume() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			RedisNode primary = redis.primary();
			primary.pause();
			try (RespClient client = new RespClient(primary.host(), primary.port())) {
				assertThat(client.hasReplyWithin(100, "PING")).isFalse();
				primary.resume();
				assertThat(client.readReply()).isEqualTo("PONG");
			}
		}
	}

	@Test
	void closedServerLeavesNoProcessAndNoFiles() {
		StandaloneRedis redis = RedisServers.standalone();
		redis.primary().pause();
		redis.close();
		assertThat(redis.primary().isRunning()).isFalse();
		assertThat(redis.primary().directory()).doesNotExist();
	}

	@Test
	void replicasFollowPrimary() {
		try (StandaloneRedis redis = RedisServers.standaloneWithReplicas(1)) {
			RedisNode replica = redis.replicas().get(0);
			redis.primary().command("SET", "key", "value");
			redis.primary().awaitReplicated(1);
			assertThat(replica.command("GET", "key")).isEqualTo("value");
			assertThatExceptionOfType(RedisErrorReplyException.class)
				.isThrownBy(() -> replica.command("SET", "key", "other"))
				.withMessageStartingWith("READONLY");
		}
	}

	@Test
	void sentinelsPromoteReplicaOfKilledPrimary() {
		try (SentinelRedis redis = RedisServers.sentinel()) {
			RedisNode former = redis.primary();
			former.kill();
			RedisNode promoted = redis.awaitFailover(former);
			assertThat(promoted).isNotSameAs(former);
			assertThat(promoted.command("SET", "key", "value")).isEqualTo("OK");
		}
	}

	@Test
	void clusterPromotesReplicaOfKilledPrimary() {
		try (ClusterRedis redis = RedisServers.clusterWithReplicas(1)) {
			RedisNode former = redis.primaryFor("key");
			former.kill();
			redis.awaitFailover(former);
			RedisNode promoted = redis.primaryFor("key");
			assertThat(promoted).isNotSameAs(former);
			assertThat(promoted.command("SET", "key", "value")).isEqualTo("OK");
		}
	}

	@Test
	void clusterKeyIsServedByItsPrimaryOnly() {
		ClusterRedis redis = SharedRedis.cluster();
		redis.flushAll();
		RedisNode primary = redis.primaryFor("key");
		assertThat(primary.command("SET", "key", "value", "PX", "60000")).isEqualTo("OK");
		assertThat(redis.nodes()).filteredOn((node) -> node != primary)
			.allSatisfy((node) -> assertThatExceptionOfType(RedisErrorReplyException.class)
				.isThrownBy(() -> node.command("GET", "key"))
				.withMessage("MOVED 12539 " + primary.address()));
	}

	@Test
	void keysWithoutTtlAreFoundOnAllNodes() {
		ClusterRedis redis = SharedRedis.cluster();
		redis.flushAll();
		List<String> permanent = List.of("a", "b", "c", "d", "e", "f");
		permanent.forEach((key) -> redis.primaryFor(key).command("SET", key, ""));
		redis.primaryFor("g").command("SET", "g", "", "PX", "60000");
		assertThat(redis.keysWithoutTtl()).containsExactlyInAnyOrderElementsOf(permanent);
		redis.flushAll();
		assertThat(redis.keysWithoutTtl()).isEmpty();
	}

	@Test
	void commandCallsAreCountedOnAllNodes() {
		ClusterRedis redis = SharedRedis.cluster();
		redis.configResetStat();
		redis.endpoints().forEach((endpoint) -> endpoint.command("EVAL", "return 1", "0"));
		assertThat(redis.commandCalls("eval")).isEqualTo(3);
		redis.configResetStat();
		assertThat(redis.commandCalls("eval")).isZero();
	}

	@Test
	void scriptFlushForgetsScriptsOnAllNodes() {
		ClusterRedis redis = SharedRedis.cluster();
		redis.endpoints().forEach((endpoint) -> {
			Object sha = endpoint.command("SCRIPT", "LOAD", "return 1");
			assertThat(endpoint.command("SCRIPT", "EXISTS", (String) sha)).isEqualTo(List.of(1L));
			redis.scriptFlush();
			assertThat(endpoint.command("SCRIPT", "EXISTS", (String) sha)).isEqualTo(List.of(0L));
		});
	}

	@Test
	void everyDriverConnectsToEveryTopology() {
		for (RedisFixture redis : List.of(SharedRedis.standalone(), SharedRedis.sentinel(), SharedRedis.cluster())) {
			redis.flushAll();
			LettuceConnectionFactory lettuce = redis.connectionFactory();
			JedisConnectionFactory jedis = redis.jedisConnectionFactory();
			assertThat(incremented(lettuce)).isEqualTo(1);
			assertThat(incremented(jedis)).isEqualTo(2);
			lettuce.destroy();
			jedis.destroy();
		}
	}

	private static Long incremented(RedisConnectionFactory factory) {
		try (RedisConnection connection = factory.getConnection()) {
			return connection.stringCommands().incr(new byte[] { 'k' });
		}
	}

}
