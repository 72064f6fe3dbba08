// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * The processes of one fixture.
 */
final class RedisNodes implements AutoCloseable {

	private final List<RedisNode> nodes = new ArrayList<>();

	/**
	 * Builds a fixture, and ends what already runs if that fails.
	 */
	void setUp(Runnable steps) {
		try {
			steps.run();
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	RedisNode add(RedisNode node) {
		this.nodes.add(node);
		return node;
	}

	/**
	 * A primary followed by replicas that have its data.
	 */
	void addReplicated(RedisBinary binary, int replicas, String... settings) {
		RedisNode primary = add(RedisNode.server(binary, settings));
		List<String> replicaSettings = new ArrayList<>(List.of(settings));
		replicaSettings.add("replicaof " + primary.host() + " " + primary.port());
		List<RedisNode> added = new ArrayList<>();
		for (int i = 0; i < replicas; i++) {
			added.add(add(RedisNode.server(binary, replicaSettings.toArray(String[]::new))));
		}
		for (RedisNode replica : added) {
			// On its own it would begin a second after its start
			replica.command("REPLICAOF", "NO", "ONE");
			replica.command("REPLICAOF", primary.host(), String.valueOf(primary.port()));
		}
		added.forEach(RedisNodes::awaitReplication);
	}

	static void awaitReplication(RedisNode replica) {
		Awaitility.await("replication to " + replica)
			.until(() -> "up".equals(replica.info("replication", "master_link_status")));
	}

	/**
	 * All nodes, in the order in which they were first started.
	 */
	List<RedisNode> all() {
		return List.copyOf(this.nodes);
	}

	List<RedisNode> running() {
		return this.nodes.stream().filter(RedisNode::isRunning).toList();
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisNode::close);
	}

}
