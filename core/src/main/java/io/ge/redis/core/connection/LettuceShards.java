// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.StatefulRedisClusterConnectionImpl;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import org.jspecify.annotations.Nullable;

/**
 * The servers behind a connection to a cluster, each on its own.
 * <p>
 * The driver keeps one connection to each server and revives those that it lost. What it
 * does not notice is a server that was failed over while it hung, until it looks at the
 * map of the cluster again, and a connection that was cut silently. Both are found here,
 * with one look at the map at a time for all callers.
 */
final class LettuceShards {

	/** A server that needs longer for an answer would use up every budget. */
	private static final Duration SIGN_OF_LIFE = Duration.ofMillis(300);

	private final DedicatedLettuceFactory factory;

	private final AtomicReference<@Nullable CompletableFuture<Void>> looking = new AtomicReference<>();

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
	 * fresh as can be.
	 * @param replacement makes a fresh connection to the cluster, for the case that the
	 * server answers, but not on the connection in use
	 */
	CompletionStage<Void> awaken(StatefulRedisClusterConnection<byte[], byte[]> cluster, byte[] key,
			Supplier<CompletionStage<Void>> replacement) {
		return lookAtMap(cluster).thenCompose((seen) -> {
			RedisClusterNode server = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
			if (server == null) {
				return CompletableFuture.failedFuture(new NotConnectedException("Nobody serves the slot", null));
			}
			RedisURI address = server.getUri();
			// At once, since a takeover is not noticed while a server that hangs is asked
			CompletionStage<Void> fresh = this.factory.tryServer(address);
			return ping(cluster, address).exceptionallyCompose((failure) -> {
				if (!(cause(failure) instanceof TimeoutException)) {
					return CompletableFuture.failedFuture(failure);
				}
				return soon(fresh).thenCompose((alive) -> replacement.get());
			});
		});
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
	 * Asks the primaries for the map, and uses the one that knows the latest failover.
	 * The driver's own refresh waits seconds for a server that hangs.
	 */
	private CompletionStage<Void> lookAtMap(StatefulRedisClusterConnection<byte[], byte[]> cluster) {
		CompletableFuture<Void> mine = new CompletableFuture<>();
		CompletableFuture<Void> others = this.looking.compareAndExchange(null, mine);
		if (others != null) {
			return others;
		}
		List<CompletableFuture<Partitions>> maps = List.copyOf(cluster.getPartitions())
			.stream()
			.filter((node) -> node.is(NodeFlag.UPSTREAM) && !node.is(NodeFlag.FAIL))
			.map((node) -> soon(mapOf(cluster, node.getUri())))
			.toList();
		CompletableFuture.allOf(maps.toArray(CompletableFuture[]::new)).whenComplete((all, failure) -> {
			maps.stream()
				.filter((map) -> !map.isCompletedExceptionally())
				.map(CompletableFuture::join)
				.max(Comparator.comparingLong(LettuceShards::latestFailover))
				.ifPresent((latest) -> use(cluster, latest));
			this.looking.set(null);
			mine.complete(null);
		});
		return mine;
	}

	private static CompletionStage<Partitions> mapOf(StatefulRedisClusterConnection<byte[], byte[]> cluster,
			RedisURI server) {
		return cluster.getConnectionAsync(server.getHost(), server.getPort())
			.thenCompose((connection) -> connection.async().clusterNodes())
			.thenApply((nodes) -> {
				Partitions map = ClusterPartitionParser.parse(nodes);
				map.removeIf((node) -> node.is(NodeFlag.NOADDR) || node.is(NodeFlag.HANDSHAKE));
				// With the credentials that all servers have in common
				map.forEach((node) -> node.setUri(node.is(NodeFlag.MYSELF) ? server
						: RedisURI.builder(server)
							.withHost(node.getUri().getHost())
							.withPort(node.getUri().getPort())
							.build()));
				return map;
			});
	}

	private static long latestFailover(Partitions map) {
		return map.stream().mapToLong(RedisClusterNode::getConfigEpoch).max().orElse(0);
	}

	private static void use(StatefulRedisClusterConnection<byte[], byte[]> cluster, Partitions latest) {
		Partitions map = cluster.getPartitions();
		map.reload(List.copyOf(latest));
		if (cluster instanceof StatefulRedisClusterConnectionImpl<?, ?> connection) {
			connection.setPartitions(map);
		}
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * The slots of a server. The driver makes new nodes whenever it looks at the map.
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
	 * The slots that nobody served. The driver changes its map, so what was in it is
	 * copied.
	 */
	private record Unserved(List<RedisClusterNode> servers) implements Shard {

		@Override
		public String server() {
			return "nobody";
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
