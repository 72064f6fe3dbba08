// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.Optional;
import java.util.function.Supplier;

import javax.net.ssl.SSLParameters;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Describes the servers of a Jedis factory to Lettuce: addresses, credentials, database,
 * client name and TLS.
 */
final class JedisFactories {

	private JedisFactories() {
	}

	/**
	 * Returns a factory that is not started.
	 * @param tls the certificates of the application, asked for if the factory uses TLS
	 */
	static LettuceConnectionFactory toLettuce(JedisConnectionFactory jedis, Supplier<@Nullable SslOptions> tls) {
		JedisClientConfiguration client = jedis.getClientConfiguration();
		if (customizerOf(client).isPresent()) {
			throw GuardConnections.unusable(jedis, "is customized by code that only Jedis can run.");
		}
		if (client.getHostnameVerifier().isPresent()) {
			throw GuardConnections.unusable(jedis, "has a hostname verifier that only Jedis can use.");
		}
		LettuceClientConfiguration target = clientOf(jedis, client, tls);
		RedisClusterConfiguration cluster = jedis.getClusterConfiguration();
		if (cluster != null) {
			return new LettuceConnectionFactory(cluster, target);
		}
		RedisSentinelConfiguration sentinel = jedis.getSentinelConfiguration();
		if (sentinel != null) {
			return new LettuceConnectionFactory(sentinel, target);
		}
		RedisStandaloneConfiguration server = jedis.getStandaloneConfiguration();
		return new LettuceConnectionFactory((server != null) ? server : new RedisStandaloneConfiguration(), target);
	}

	// The one name that all supported versions have
	@SuppressWarnings("deprecation")
	private static Optional<?> customizerOf(JedisClientConfiguration client) {
		return client.getCustomizer();
	}

	private static LettuceClientConfiguration clientOf(JedisConnectionFactory jedis, JedisClientConfiguration client,
			Supplier<@Nullable SslOptions> tls) {
		LettuceClientConfigurationBuilder target = LettuceClientConfiguration.builder();
		client.getClientName().ifPresent(target::clientName);
		if (client.isUseSsl()) {
			SslOptions certificates = tls.get();
			if (certificates == null && client.getSslSocketFactory().isPresent()) {
				throw GuardConnections.unusable(jedis, "has a socket factory for TLS that only Jedis can use.");
			}
			target.useSsl().verifyPeer(verifies(client) ? SslVerifyMode.FULL : SslVerifyMode.CA);
			if (certificates != null) {
				ClientOptions.Builder options = jedis.isRedisClusterAware() ? ClusterClientOptions.builder()
						: ClientOptions.builder();
				target.clientOptions(options.sslOptions(certificates).build());
			}
		}
		return target.build();
	}

	// Unlike Lettuce, Jedis does not verify names of hosts by default
	private static boolean verifies(JedisClientConfiguration client) {
		return client.getSslParameters().map(SSLParameters::getEndpointIdentificationAlgorithm).isPresent();
	}

}
