/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisNode;

/**
 * The configured address of servers, for people: host and port, never credentials.
 */
final class ServerAddress {

	private ServerAddress() {
	}

	static String of(RedisConfiguration servers) {
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
