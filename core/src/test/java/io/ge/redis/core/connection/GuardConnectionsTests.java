// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Which adapter serves which factory.
 */
class GuardConnectionsTests {

	@Test
	void standaloneHasConnectionsOfTheGuards() {
		assertThat(adapter(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1))))
			.isEqualTo(LettuceGuardConnection.class);
	}

	@Test
	void fixedPrimaryAndReplicasAreNotTakenForALocalServer() {
		assertThat(adapter(new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1))))
			.isEqualTo(SpringDataGuardConnection.class);
	}

	@Test
	void databaseIsThatOfTheApplication() {
		RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("127.0.0.1", 1);
		standalone.setDatabase(3);
		RedisStaticMasterReplicaConfiguration replicated = new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1);
		replicated.setDatabase(4);
		assertThat(database(new LettuceConnectionFactory(standalone))).isEqualTo(3);
		assertThat(database(new LettuceConnectionFactory(replicated))).isEqualTo(4);
		assertThat(database(new JedisConnectionFactory(standalone))).isEqualTo(3);
		assertThat(database(mock(RedisConnectionFactory.class))).isZero();
	}

	private static int database(RedisConnectionFactory factory) {
		try (GuardConnection connection = GuardConnections.from(factory, Duration.ofSeconds(5))) {
			return connection.database();
		}
	}

	private static Class<?> adapter(LettuceConnectionFactory factory) {
		try (GuardConnection connection = GuardConnections.from(factory, Duration.ofSeconds(5))) {
			return connection.getClass();
		}
	}

}
