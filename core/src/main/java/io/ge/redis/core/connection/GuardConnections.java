// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.ge.redis.GuardConfigurationException;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes the guards' connection from the application's connection factory.
 */
public final class GuardConnections {

	private GuardConnections() {
	}

	/**
	 * Makes a connection to the servers of a factory, with the same credentials, TLS and
	 * database. It uses Lettuce whichever driver the application uses. Nothing is
	 * connected before the first {@link GuardConnection#reopen}.
	 * @param tls the certificates of the application, or {@code null} for the defaults of
	 * the JVM; read for Jedis only, whose factory does not show them
	 * @throws GuardConfigurationException if the factory does not show its servers
	 */
	public static GuardConnection from(RedisConnectionFactory factory, Supplier<@Nullable SslOptions> tls) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return new LettuceGuardConnection(copyable(lettuce));
		}
		if (factory instanceof JedisConnectionFactory jedis) {
			return new LettuceGuardConnection(JedisFactories.toLettuce(jedis, tls));
		}
		throw unusable(factory, "does not show its servers.");
	}

	static GuardConfigurationException unusable(RedisConnectionFactory factory, String problem) {
		return new GuardConfigurationException("The connection factory " + factory.getClass().getName(), problem,
				"Define a LettuceConnectionFactory for the primary and name it in ge.redis.<pattern>.connection-factory, "
						+ "or set ge.redis.enabled=false where there is no Redis.");
	}

	// The factory does not show fixed primaries and replicas, but a default server
	// instead
	private static LettuceConnectionFactory copyable(LettuceConnectionFactory factory) {
		if (RedisConfiguration.isStaticMasterReplicaConfiguration(
				(RedisConfiguration) new DirectFieldAccessor(factory).getPropertyValue("configuration"))) {
			throw unusable(factory, "has a fixed list of primary and replicas, which no guard can follow.");
		}
		return factory;
	}

	/**
	 * Returns the configured address of servers, for people: never credentials.
	 */
	static String addressOf(RedisConfiguration servers) {
		if (servers instanceof ClusterConfiguration cluster) {
			return join(cluster.getClusterNodes());
		}
		if (servers instanceof SentinelConfiguration sentinel) {
			NamedNode primary = sentinel.getMaster();
			return ((primary != null) ? primary.getName() + " of " : "") + "Sentinel " + join(sentinel.getSentinels());
		}
		if (servers instanceof WithDomainSocket socket) {
			return socket.getSocket();
		}
		return (servers instanceof WithHostAndPort server) ? server.getHostName() + ":" + server.getPort()
				: servers.getClass().getSimpleName();
	}

	private static String join(Set<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

}
