// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

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
import org.springframework.util.ClassUtils;

/**
 * Makes the guards' connection from the application's connection factory.
 */
public final class GuardConnections {

	private static final boolean lettucePresent = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			GuardConnections.class.getClassLoader());

	private GuardConnections() {
	}

	/**
	 * Makes a connection to the servers of a factory, with the same credentials, TLS and
	 * database. Nothing is connected before the first {@link GuardConnection#reopen}.
	 * @param commandTimeout how long a call waits for Redis at most
	 * @return an asynchronous connection for a {@link LettuceConnectionFactory}, else one
	 * that borrows connections of the factory
	 */
	public static GuardConnection from(RedisConnectionFactory factory, Duration commandTimeout) {
		if (lettucePresent && factory instanceof LettuceConnectionFactory lettuce && canBeCopied(lettuce)) {
			return new LettuceGuardConnection(lettuce);
		}
		return new SpringDataGuardConnection(factory, commandTimeout);
	}

	static int databaseOf(RedisConnectionFactory factory) {
		if (lettucePresent && factory instanceof LettuceConnectionFactory lettuce) {
			return lettuce.getDatabase();
		}
		return (SpringDataGuardConnection.jedisPresent && factory instanceof JedisConnectionFactory jedis)
				? jedis.getDatabase() : 0;
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

	// The factory does not show fixed primaries and replicas, but a default server
	// instead
	private static boolean canBeCopied(LettuceConnectionFactory factory) {
		return !RedisConfiguration.isStaticMasterReplicaConfiguration(
				(RedisConfiguration) new DirectFieldAccessor(factory).getPropertyValue("configuration"));
	}

}
