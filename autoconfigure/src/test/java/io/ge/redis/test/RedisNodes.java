/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

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
		for (int i = 0; i < replicas; i++) {
			RedisNode replica = add(RedisNode.server(binary, replicaSettings.toArray(String[]::new)));
			awaitReplication(replica);
		}
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
