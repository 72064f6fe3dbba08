/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.outage;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The circuits of a breaker: one for the deployment as a whole, and one for each server
 * that has failed.
 */
final class Circuits {

	private final String name;

	private final int threshold;

	private final Circuit whole;

	/** Servers that have failed, by name. */
	private final Map<String, Circuit> servers = new ConcurrentHashMap<>();

	Circuits(String name, int threshold) {
		this.name = name;
		this.threshold = threshold;
		this.whole = new Circuit(name, threshold);
	}

	Circuit whole() {
		return this.whole;
	}

	/**
	 * Returns the circuit for which failures of a server count.
	 * @param shard the server's part, or {@code null} if no server can be named
	 */
	Circuit of(@Nullable Shard shard) {
		return (shard == null) ? this.whole : this.servers.computeIfAbsent(shard.server(),
				(server) -> new Circuit(this.name + " at " + server, this.threshold));
	}

	/**
	 * Returns why calls are kept from Redis, or from some of its servers.
	 */
	@Nullable OutageCause openCause() {
		OutageCause cause = this.whole.openCause();
		if (cause == null && !this.servers.isEmpty()) {
			for (Circuit server : this.servers.values()) {
				cause = (cause != null) ? cause : server.openCause();
			}
		}
		return cause;
	}

	/**
	 * Returns why calls on a key are kept from Redis.
	 * @param key the key, or {@code null} for a call without one
	 */
	@Nullable OutageCause openCause(byte @Nullable [] key) {
		OutageCause cause = this.whole.openCause();
		if (cause == null && key != null && !this.servers.isEmpty()) {
			for (Circuit server : this.servers.values()) {
				cause = (cause != null) ? cause : server.openCause(key);
			}
		}
		return cause;
	}

	void succeeded(@Nullable Shard shard) {
		this.whole.succeeded();
		if (shard != null && !this.servers.isEmpty()) {
			Circuit server = this.servers.get(shard.server());
			if (server != null) {
				server.succeeded();
			}
		}
	}

	/**
	 * Keeps the circuit of a server unless there is one.
	 */
	void keep(Shard shard, Circuit circuit) {
		this.servers.putIfAbsent(shard.server(), circuit);
	}

	void forget(Circuit circuit) {
		this.servers.values().remove(circuit);
	}

}
