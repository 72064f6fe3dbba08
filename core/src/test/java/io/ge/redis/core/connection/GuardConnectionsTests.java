// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import io.ge.redis.GuardConfigurationException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * The servers of each kind of connection factory are found, or the factory is refused.
 */
class GuardConnectionsTests {

	private static final Supplier<@Nullable SslOptions> NO_CERTIFICATES = () -> null;

	static Stream<Arguments> factories() {
		RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("127.0.0.1", 1);
		standalone.setDatabase(3);
		RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration("main", Set.of("127.0.0.1:2"));
		sentinel.setDatabase(4);
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("127.0.0.1:3", "127.0.0.1:4"));
		return Stream.of(arguments(new LettuceConnectionFactory(standalone), "127.0.0.1:1", 3, false),
				arguments(new JedisConnectionFactory(standalone), "127.0.0.1:1", 3, false),
				arguments(new LettuceConnectionFactory(sentinel), "main of Sentinel 127.0.0.1:2", 4, false),
				arguments(new JedisConnectionFactory(sentinel), "main of Sentinel 127.0.0.1:2", 4, false),
				arguments(new LettuceConnectionFactory(cluster), "127.0.0.1:3, 127.0.0.1:4", 0, true),
				arguments(new JedisConnectionFactory(cluster), "127.0.0.1:3, 127.0.0.1:4", 0, true));
	}

	@ParameterizedTest
	@MethodSource("factories")
	void serversAreThoseOfTheFactory(RedisConnectionFactory factory, String address, int database, boolean clustered) {
		try (GuardConnection connection = GuardConnections.from(factory, NO_CERTIFICATES)) {
			assertThat(connection.address()).isEqualTo(address);
			assertThat(connection.database()).isEqualTo(database);
			assertThat(connection.isClustered()).isEqualTo(clustered);
		}
	}

	@Test
	void mapOfAClusterIsReadAgainOnEverySignThatItIsOld() {
		DedicatedLettuceFactory copy = DedicatedLettuceFactory
			.copyOf(new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:3"))), () -> {
			});
		try {
			assertThat(copy.getClientConfiguration().getClientOptions().map(ClusterClientOptions.class::cast))
				.hasValueSatisfying(
						(options) -> assertThat(options.getTopologyRefreshOptions().getAdaptiveRefreshTriggers())
							.containsExactlyInAnyOrder(RefreshTrigger.values()));
		}
		finally {
			copy.destroy();
		}
	}

	@Test
	void tlsOfJedisIsCopiedWithTheCertificatesOfTheApplication() {
		SslOptions certificates = SslOptions.builder().protocols("TLSv1.3").build();
		JedisClientConfiguration plain = JedisClientConfiguration.builder().clientName("app").useSsl().build();
		LettuceConnectionFactory copy = JedisFactories.toLettuce(jedis(plain), NO_CERTIFICATES);
		assertThat(copy.getClientName()).isEqualTo("app");
		assertThat(copy.isUseSsl()).isTrue();
		assertThat(copy.getClientConfiguration().getVerifyMode()).isEqualTo(SslVerifyMode.CA);
		JedisClientConfiguration own = JedisClientConfiguration.builder()
			.useSsl()
			.sslSocketFactory((SSLSocketFactory) SSLSocketFactory.getDefault())
			.sslParameters(verifying())
			.build();
		copy = JedisFactories.toLettuce(jedis(own), () -> certificates);
		assertThat(copy.getClientConfiguration().getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
		assertThat(copy.getClientConfiguration().getClientOptions()).map(ClientOptions::getSslOptions)
			.hasValue(certificates);
		JedisConnectionFactory cluster = new JedisConnectionFactory(
				new RedisClusterConfiguration(List.of("127.0.0.1:3")), own);
		assertThat(JedisFactories.toLettuce(cluster, () -> certificates).getClientConfiguration().getClientOptions())
			.containsInstanceOf(ClusterClientOptions.class);
	}

	private static SSLParameters verifying() {
		SSLParameters parameters = new SSLParameters();
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		return parameters;
	}

	@SuppressWarnings("deprecation")
	static Stream<Arguments> refused() {
		JedisClientConfiguration sockets = JedisClientConfiguration.builder()
			.useSsl()
			.sslSocketFactory((SSLSocketFactory) SSLSocketFactory.getDefault())
			.build();
		JedisClientConfiguration customized = JedisClientConfiguration.builder()
			.customize((config) -> config.user("somebody"))
			.build();
		JedisClientConfiguration lenient = JedisClientConfiguration.builder()
			.useSsl()
			.hostnameVerifier((host, session) -> true)
			.build();
		return Stream.of(arguments(jedis(lenient), "hostname verifier"),
				arguments(new LettuceConnectionFactory(new RedisStaticMasterReplicaConfiguration("127.0.0.1", 1)),
						"fixed list of primary and replicas"),
				arguments(jedis(sockets), "socket factory"), arguments(jedis(customized), "customized"),
				arguments(mock(RedisConnectionFactory.class), "does not show its servers"));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void factoryThatCannotBeCopiedIsRefused(RedisConnectionFactory factory, String problem) {
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> GuardConnections.from(factory, NO_CERTIFICATES))
			.withMessageContaining(problem)
			.withMessageContaining("ge.redis.<pattern>.connection-factory");
	}

	private static JedisConnectionFactory jedis(JedisClientConfiguration client) {
		return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1), client);
	}

}
