/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.script;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts whose writes a number of replicas are to have, on connections of their
 * own.
 * <p>
 * There is a lane for each server and number of replicas: a connection, opened when it is
 * first needed. All scripts that are wanted when it is free are sent together with one
 * {@code WAIT} behind them; who comes while that is under way shares the next. Nobody
 * loses by standing behind it: it ends as soon as so many replicas have what was written
 * before, and until then they cannot have what is written later. That is also why another
 * number of replicas has another lane.
 * <p>
 * Each call has a deadline of its own, which the server and the others cannot move: its
 * timeout if it could not be sent in that time, else a round trip more, so that it learns
 * how many replicas there were. A server with nothing to do notices only at its next tick
 * that the time of a {@code WAIT} is over, up to 100 ms late, so something is sent to it
 * then. A connection that has to be opened first has a time of its own for that.
 * <p>
 * A server that does not answer within the deadline loses its connection, so that the
 * next call looks anew for whoever is the primary by then, and so does one that has no
 * replica or answers with an error.
 */
final class ReplicaLanes {

	private final GuardConnection connection;

	private final ScriptListener listener;

	private final Map<Address, ReplicaLane> lanes = new ConcurrentHashMap<>();

	ReplicaLanes(GuardConnection connection, ScriptListener listener) {
		this.connection = connection;
		this.listener = listener;
	}

	/**
	 * Runs a script and waits for replicas.
	 * @param call the call
	 * @param replicas how many are wanted
	 * @param timeout how long they may take
	 * @param connecting how long it may take to connect, if that is necessary
	 * @return completes with the reply and the number of replicas, also if there were too
	 * few; exceptionally if that is not known
	 */
	CompletableFuture<ReplicatedReply> run(ScriptCall call, int replicas, Duration timeout, Duration connecting) {
		byte[] key = call.firstKey();
		Shard shard = (key != null) ? this.connection.shardOf(key) : null;
		ReplicaWish wish = new ReplicaWish(this, call, timeout.toNanos(), connecting.toNanos());
		lane((shard != null) ? shard.server() : null, replicas).add(wish);
		return wish;
	}

	GuardConnection connection() {
		return this.connection;
	}

	ScriptListener listener() {
		return this.listener;
	}

	/**
	 * Returns the lane of a server, or of the only one, and a number of replicas.
	 */
	ReplicaLane lane(@Nullable String server, int replicas) {
		Address address = new Address(server, replicas);
		ReplicaLane present = this.lanes.get(address);
		if (present != null) {
			return present;
		}
		ReplicaLane made = new ReplicaLane(this.connection, server, replicas);
		ReplicaLane other = this.lanes.putIfAbsent(address, made);
		return (other != null) ? other : made;
	}

	private record Address(@Nullable String server, int replicas) {
	}

}
