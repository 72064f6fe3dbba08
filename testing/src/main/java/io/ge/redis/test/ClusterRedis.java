// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * A Redis Cluster of three primaries, each with the same number of replicas. A node that
 * is silent for two seconds counts as down.
 */
public final class ClusterRedis extends RedisFixture {

	private static final int PRIMARIES = 3;

	private static final int SLOTS = 16_384;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final RedisNodes nodes;

	private ClusterRedis(RedisNodes nodes) {
		this.nodes = nodes;
	}

	static ClusterRedis start(RedisBinary binary, int replicasPerPrimary, String... settings) {
		ClusterRedis redis = new ClusterRedis(new RedisNodes());
		redis.nodes.setUp(() -> redis.form(binary, replicasPerPrimary, settings));
		return redis;
	}

	private void form(RedisBinary binary, int replicasPerPrimary, String... settings) {
		List<String> lines = new ArrayList<>(List.of("cluster-enabled yes", "cluster-node-timeout 2000",
				"cluster-announce-ip 127.0.0.1", "cluster-config-file nodes.conf"));
		lines.addAll(List.of(settings));
		int size = PRIMARIES * (1 + replicasPerPrimary);
		for (int i = 0; i < size; i++) {
			RedisNode node = this.nodes.add(RedisNode.server(binary, lines.toArray(String[]::new)));
			// Distinct from the start, so that nodes need not settle a collision
			node.command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
		}
		assignSlots();
		meet();
		replicate();
		awaitOk();
	}

	private void assignSlots() {
		for (int i = 0; i < PRIMARIES; i++) {
			List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
			for (int slot = i * SLOTS / PRIMARIES; slot < (i + 1) * SLOTS / PRIMARIES; slot++) {
				command.add(String.valueOf(slot));
			}
			nodes().get(i).command(command.toArray(String[]::new));
		}
	}

	private void meet() {
		RedisNode first = nodes().get(0);
		for (RedisNode node : nodes()) {
			first.command("CLUSTER", "MEET", node.host(), String.valueOf(node.port()));
		}
		awaitOnAll("cluster_known_nodes", String.valueOf(nodes().size()));
	}

	private void replicate() {
		for (int i = PRIMARIES; i < nodes().size(); i++) {
			RedisNode replica = nodes().get(i);
			RedisNode primary = nodes().get(i % PRIMARIES);
			replica.command("CLUSTER", "REPLICATE", (String) primary.command("CLUSTER", "MYID"));
		}
		nodes().subList(PRIMARIES, nodes().size()).forEach(RedisNodes::awaitReplication);
		for (RedisNode node : nodes()) {
			// Before that it would not vote for one of them
			Awaitility.await("replicas that " + node + " knows")
				.atMost(PATIENCE)
				.until(() -> knownReplicas(node) == nodes().size() - PRIMARIES);
		}
	}

	private static int knownReplicas(RedisNode observer) {
		int replicas = 0;
		for (Object range : (List<?>) observer.command("CLUSTER", "SLOTS")) {
			// First and last slot, the primary, and its replicas
			replicas += ((List<?>) range).size() - 3;
		}
		return replicas;
	}

	/**
	 * Waits until every running node sees all slots served.
	 */
	public void awaitOk() {
		awaitOnAll("cluster_state", "ok");
		awaitOnAll("cluster_slots_ok", String.valueOf(SLOTS));
	}

	private void awaitOnAll(String field, String value) {
		for (RedisNode node : this.nodes.running()) {
			Awaitility.await(field + " of " + node)
				.atMost(PATIENCE)
				.until(() -> clusterInfo(node).contains(field + ":" + value + "\r\n"));
		}
	}

	private static String clusterInfo(RedisNode node) {
		return String.valueOf(node.command("CLUSTER", "INFO"));
	}

	/**
	 * Waits until all other running nodes agree that another node serves the slots of a
	 * primary that was killed or paused.
	 * @param former the primary before
	 */
	public void awaitFailover(RedisNode former) {
		for (RedisNode node : this.nodes.running()) {
			if (node != former) {
				Awaitility.await("failover from " + former + " on " + node)
					.atMost(PATIENCE)
					.until(() -> clusterInfo(node).contains("cluster_state:ok") && !servesSlots(former, node));
			}
		}
	}

	private boolean servesSlots(RedisNode candidate, RedisNode observer) {
		return slotRanges(observer).stream().anyMatch((range) -> range.primary() == candidate);
	}

	/**
	 * The node that serves a key now.
	 * @param key the key, with or without hash tag
	 * @return the primary of the key's slot as the first running node sees it
	 */
	public RedisNode primaryFor(String key) {
		RedisNode any = this.nodes.running().get(0);
		long slot = (Long) any.command("CLUSTER", "KEYSLOT", key);
		return slotRanges(any).stream()
			.filter((range) -> range.first() <= slot && slot <= range.last())
			.findFirst()
			.orElseThrow()
			.primary();
	}

	private List<SlotRange> slotRanges(RedisNode observer) {
		List<SlotRange> ranges = new ArrayList<>();
		for (Object element : (List<?>) observer.command("CLUSTER", "SLOTS")) {
			List<?> range = (List<?>) element;
			List<?> primary = (List<?>) range.get(2);
			ranges.add(new SlotRange((Long) range.get(0), (Long) range.get(1), node((Long) primary.get(1))));
		}
		return ranges;
	}

	private RedisNode node(long port) {
		return nodes().stream().filter((node) -> node.port() == port).findFirst().orElseThrow();
	}

	/**
	 * The nodes, the first primaries first; the replica at {@code 3 + n} was started for
	 * the primary at {@code n % 3}.
	 * @return all of them, running or not
	 */
	public List<RedisNode> nodes() {
		return this.nodes.all();
	}

	@Override
	public List<RedisNode> endpoints() {
		return this.nodes.running();
	}

	@Override
	public RedisConfiguration configuration() {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		nodes().forEach((node) -> configuration.clusterNode(node.host(), node.port()));
		return configuration;
	}

	@Override
	List<String> serverProperties() {
		String addresses = nodes().stream().map(RedisEndpoint::address).collect(Collectors.joining(","));
		return List.of("spring.data.redis.cluster.nodes=" + addresses);
	}

	@Override
	public void close() {
		this.nodes.close();
	}

	private record SlotRange(long first, long last, RedisNode primary) {
	}

}
