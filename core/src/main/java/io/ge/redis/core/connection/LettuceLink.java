// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.DefaultEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * The place of the connection: nothing, an attempt, or an open connection.
 *
 * @param cluster the connection, if it is one to a cluster: asked for with each call
 */
record LettuceLink(@Nullable StatefulConnection<byte[], byte[]> connection,
		@Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster,
		@Nullable RedisClusterAsyncCommands<byte[], byte[]> commands,
		@Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending, @Nullable Throwable failure) {

	static LettuceLink none(@Nullable Throwable failure) {
		return new LettuceLink(null, null, null, null, failure);
	}

	static LettuceLink pending(CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending) {
		return new LettuceLink(null, null, null, pending, null);
	}

	static LettuceLink open(StatefulConnection<byte[], byte[]> connection,
			RedisClusterAsyncCommands<byte[], byte[]> commands) {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> routed)
				? routed : null;
		return new LettuceLink(connection, cluster, commands, null, null);
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
	 * Ends a connection as if the server had, so that its users replace it.
	 */
	static void lose(StatefulConnection<?, ?> connection) {
		if (connection instanceof RedisChannelHandler<?, ?> handler
				&& handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
			endpoint.disconnect();
		}
	}

	@SuppressWarnings("unchecked")
	static RedisClusterAsyncCommands<byte[], byte[]> commandsOf(StatefulConnection<byte[], byte[]> connection) {
		if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			return (RedisClusterAsyncCommands<byte[], byte[]>) cluster.async();
		}
		return ((StatefulRedisConnection<byte[], byte[]>) connection).async();
	}

}
