/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.connection;

import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * The place of the connection: nothing, an attempt, or an open connection.
 */
final class LettuceLink {

	final @Nullable StatefulConnection<byte[], byte[]> connection;

	/** The connection, if it is one to a cluster: asked for with each call. */
	final @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster;

	final @Nullable RedisClusterAsyncCommands<byte[], byte[]> commands;

	final @Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending;

	final @Nullable Throwable failure;

	private LettuceLink(@Nullable StatefulConnection<byte[], byte[]> connection,
			@Nullable RedisClusterAsyncCommands<byte[], byte[]> commands,
			@Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending,
			@Nullable Throwable failure) {
		this.connection = connection;
		this.cluster = (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> routed) ? routed : null;
		this.commands = commands;
		this.pending = pending;
		this.failure = failure;
	}

	static LettuceLink none(@Nullable Throwable failure) {
		return new LettuceLink(null, null, null, failure);
	}

	static LettuceLink pending(CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending) {
		return new LettuceLink(null, null, pending, null);
	}

	static LettuceLink open(StatefulConnection<byte[], byte[]> connection,
			RedisClusterAsyncCommands<byte[], byte[]> commands) {
		return new LettuceLink(connection, commands, null, null);
	}

	static void onLost(StatefulConnection<?, ?> connection, Runnable action) {
		connection.addListener(new RedisConnectionStateAdapter() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
				action.run();
			}

		});
	}

	/**
	 * Returns what a cluster and a single server have in common.
	 */
	@SuppressWarnings("unchecked")
	static RedisClusterAsyncCommands<byte[], byte[]> commandsOf(StatefulConnection<byte[], byte[]> connection) {
		if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			return (RedisClusterAsyncCommands<byte[], byte[]>) cluster.async();
		}
		return ((StatefulRedisConnection<byte[], byte[]>) connection).async();
	}

}
