// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * The servers behind a connection to a cluster, each on its own.
 * <p>
 * The driver keeps one connection to each server and revives those that it lost. It does
 * not notice a connection that was cut silently. It notices a server that was failed over
 * while it hung only when it reads the map of the cluster again. Both are found here.
 */
final class LettuceShards {

	/** A server that needs longer for an answer would use up every budget. */
	private static final Duration SIGN_OF_LIFE = Duration.ofMillis(300);

	private final DedicatedLettuceFactory factory;

	LettuceShards(DedicatedLettuceFactory factory) {
		this.factory = factory;
	}

	static Shard shardOf(StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key) {
		return shardOf(cluster.getPartitions(), key);
	}

	static Shard shardOf(Partitions map, byte[] key) {
		RedisClusterNode server = map.getMasterBySlot(SlotHash.getSlot(key));
		return (server != null) ? new Served(server) : new Unserved(List.copyOf(map));
	}

	/**
	 * Asks the server of a key for a sign of life, on a map of the cluster that is as
	 * fresh as can be. The server on the present map is asked meanwhile.
	 * @param replacement makes a fresh connection to the cluster, for the case that the
	 * server answers, but not on the connection in use
	 */
	CompletionStage<Void> awaken(StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key,
			Supplier<CompletionStage<Void>> replacement) {
		RedisURI present = serverOf(cluster, key);
		CompletionStage<Void> answer = answer(cluster, present, replacement);
		return this.factory.readMap().thenCompose((read) -> {
			RedisURI server = serverOf(cluster, key);
			return Objects.equals(server, present) ? answer : answer(cluster, server, replacement);
		});
	}

	private static @Nullable RedisURI serverOf(StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key) {
		RedisClusterNode server = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
		return (server != null) ? server.getUri() : null;
	}

	private CompletionStage<Void> answer(StatefulRedisClusterConnection<byte[], byte[]> cluster,
			@Nullable RedisURI server, Supplier<CompletionStage<Void>> replacement) {
		if (server == null) {
			return CompletableFuture.failedFuture(new NotConnectedException("No server serves the slot", null));
		}
		// At once, since a server that hangs takes its time
		CompletionStage<Void> fresh = this.factory.tryServer(server);
		return ping(cluster, server).exceptionallyCompose(
				(failure) -> (NestedExceptionUtils.getMostSpecificCause(failure) instanceof TimeoutException)
						? soon(fresh).thenCompose((alive) -> replacement.get())
						: CompletableFuture.failedFuture(failure));
	}

	private static CompletionStage<Void> ping(StatefulRedisClusterConnection<byte[], byte[]> cluster,
			RedisURI address) {
		return soon(cluster.getConnectionAsync(address.getHost(), address.getPort())
			.thenCompose((connection) -> connection.async().ping())).thenAccept((pong) -> {
			});
	}

	private static <T> CompletableFuture<T> soon(CompletionStage<T> answer) {
		return answer.toCompletableFuture().copy().orTimeout(SIGN_OF_LIFE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * The slots of a server. The driver creates new nodes whenever it reads the map.
	 */
	private record Served(RedisClusterNode node) implements Shard {

		@Override
		public String server() {
			return this.node.getUri().getHost() + ":" + this.node.getUri().getPort();
		}

		@Override
		public boolean holds(byte[] key) {
			return this.node.hasSlot(SlotHash.getSlot(key));
		}

	}

	/**
	 * The slots without a server. The driver changes its map, so its content is copied.
	 */
	private record Unserved(List<RedisClusterNode> servers) implements Shard {

		@Override
		public String server() {
			return "an unserved slot";
		}

		@Override
		public boolean holds(byte[] key) {
			int slot = SlotHash.getSlot(key);
			for (RedisClusterNode server : this.servers) {
				if (server.is(NodeFlag.UPSTREAM) && server.hasSlot(slot)) {
					return false;
				}
			}
			return true;
		}

	}

}
