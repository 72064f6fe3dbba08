// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * Reads the map of a Cluster from the servers that answer. The driver would wait for a
 * server that hangs, and warn of one that is down twice a second while it is in the map.
 * <p>
 * A map with an unknown failover is used at once, else one that arrives soon after the
 * first. Servers that are down and serve no slot are left out of it, since the driver
 * would try to reach them for ever. The map of a server that knows no slots is refused:
 * it has left the cluster.
 */
final class LettuceClusterClient extends RedisClusterClient {

	private static final Duration ANSWER = Duration.ofSeconds(2);

	private static final Duration STRAGGLERS = Duration.ofMillis(300);

	/** Number of servers that are asked, so that large clusters are not flooded. */
	private static final int MOST_ASKED = 8;

	private final List<RedisURI> seeds;

	/** Opens a connection to one server. */
	private final Function<RedisURI, CompletionStage<StatefulRedisConnection<String, String>>> opening;

	private final AtomicReference<@Nullable CompletableFuture<Partitions>> reading = new AtomicReference<>();

	private volatile List<RedisClusterNode> known = List.of();

	LettuceClusterClient(ClientResources resources, List<RedisURI> seeds,
			Function<RedisURI, CompletionStage<StatefulRedisConnection<String, String>>> opening) {
		super(resources, seeds);
		this.seeds = seeds;
		this.opening = opening;
	}

	@Override
	protected CompletableFuture<Partitions> loadPartitionsAsync() {
		CompletableFuture<Partitions> mine = new CompletableFuture<>();
		CompletableFuture<Partitions> others = this.reading.compareAndExchange(null, mine);
		if (others != null) {
			return others;
		}
		List<RedisClusterNode> servers = new ArrayList<>(this.known);
		Collections.shuffle(servers);
		read(servers.stream()
			.filter((server) -> !server.hasNoSlots() && !server.is(NodeFlag.FAIL))
			.limit(MOST_ASKED)
			.map(RedisClusterNode::getUri)).exceptionallyCompose((failure) -> read(this.seeds.stream()))
			.whenComplete((map, failure) -> {
				this.reading.set(null);
				this.known = (failure == null) ? List.copyOf(map) : this.known;
				if (failure != null) {
					mine.completeExceptionally(failure);
				}
				mine.complete(map);
			});
		return mine;
	}

	private CompletableFuture<Partitions> read(Stream<RedisURI> servers) {
		long before = latestFailover(this.known);
		CompletableFuture<Partitions> read = new CompletableFuture<>();
		List<CompletableFuture<Partitions>> maps = servers.map(this::mapOf).toList();
		maps.forEach((map) -> map.thenAccept((answer) -> {
			if (latestFailover(answer) > before) {
				read.complete(answer);
			}
			else if (latestFailover(answer) == before) {
				read.completeOnTimeout(answer, STRAGGLERS.toMillis(), TimeUnit.MILLISECONDS);
			}
		}));
		CompletableFuture.allOf(maps.toArray(CompletableFuture[]::new))
			.whenComplete((all, failure) -> maps.stream()
				.filter((map) -> !map.isCompletedExceptionally())
				.map(CompletableFuture::join)
				.max(Comparator.comparingLong(LettuceClusterClient::latestFailover))
				.ifPresentOrElse(read::complete, () -> read.completeExceptionally((failure != null) ? failure
						: new NotConnectedException("No server of the cluster is known", null))));
		return read;
	}

	private CompletableFuture<Partitions> mapOf(RedisURI server) {
		return this.opening.apply(server)
			.thenCompose((connection) -> connection.async()
				.clusterNodes()
				.toCompletableFuture()
				.orTimeout(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
				.whenComplete((nodes, failure) -> connection.closeAsync()))
			.thenApply((nodes) -> {
				Partitions map = new Partitions();
				ClusterPartitionParser.parse(nodes)
					.stream()
					.filter((node) -> !node.is(NodeFlag.NOADDR) && !node.is(NodeFlag.HANDSHAKE))
					.filter((node) -> !node.is(NodeFlag.FAIL) || !node.hasNoSlots())
					.filter(((ClusterClientOptions) getOptions()).getNodeFilter())
					.forEach((node) -> {
						RedisURI address = (node.getUri() != null) ? node.getUri() : server;
						// With the credentials that all servers have in common
						node.setUri(RedisURI.builder(server)
							.withHost(address.getHost())
							.withPort(address.getPort())
							.build());
						map.addPartition(node);
					});
				map.updateCache();
				if (map.stream().allMatch(RedisClusterNode::hasNoSlots)) {
					throw new NotConnectedException("Redis at " + server.getHost() + ":" + server.getPort()
							+ " knows no server with slots: it is not, or no longer, in the cluster", null);
				}
				return map;
			})
			.toCompletableFuture();
	}

	private static long latestFailover(Collection<RedisClusterNode> map) {
		return map.stream().mapToLong(RedisClusterNode::getConfigEpoch).max().orElse(-1);
	}

}
