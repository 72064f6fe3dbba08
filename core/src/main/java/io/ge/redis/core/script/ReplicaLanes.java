// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.ReplicatedConnection;
import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts whose writes a number of replicas must have. They have connections of
 * their own, each opened when first needed.
 * <p>
 * There is a lane for each server and number of replicas. All scripts that wait when it
 * is free are sent together with one {@code WAIT} behind them; later ones share the next.
 * No call loses by that: replicas receive writes in order. The first {@code WAIT} ends as
 * soon as enough of them have the writes before it.
 * <p>
 * Each call has a deadline of its own, which neither the server nor other calls can move.
 * It is its timeout, and a round trip more if it was sent, to learn the number of
 * replicas. An idle server notices the end of a {@code WAIT} only at its next tick, up to
 * 100 ms late. So a command is sent to it then. Opening a connection has a time of its
 * own.
 * <p>
 * A server that does not answer in time, has no replica, or answers with an error loses
 * its connection. So the next call finds the primary anew.
 */
final class ReplicaLanes {

	private static final long MILLISECOND = 1_000_000;

	/** Ends the time at the server before it ends here. */
	private static final long EARLIER_MILLIS = 2;

	/** The least age of a connection that is replaced for a lack of replicas. */
	private static final long SETTLED_NANOS = 1_000_000_000;

	private final GuardConnection connection;

	private final ScriptListener listener;

	private final Map<Address, Lane> lanes = new ConcurrentHashMap<>();

	ReplicaLanes(GuardConnection connection, ScriptListener listener) {
		this.connection = connection;
		this.listener = listener;
	}

	CompletableFuture<ReplicatedReply> run(ScriptCall call, int replicas, Duration timeout, Duration connecting) {
		byte[] key = call.firstKey();
		Shard shard = (key != null) ? this.connection.shardOf(key) : null;
		ReplicaRequest request = new ReplicaRequest(this, call, timeout.toNanos(), connecting.toNanos());
		lane(new Address((shard != null) ? shard.server() : null, replicas)).add(request);
		return request;
	}

	GuardConnection connection() {
		return this.connection;
	}

	ScriptListener listener() {
		return this.listener;
	}

	private Lane lane(Address address) {
		Lane present = this.lanes.get(address);
		return (present != null) ? present : this.lanes.computeIfAbsent(address, Lane::new);
	}

	private record Address(@Nullable String server, int replicas) {
	}

	/**
	 * A connection, the request that it serves and the next ones.
	 */
	final class Lane {

		private final Address address;

		private final Lock lock = new ReentrantLock();

		private final Deque<ReplicaRequest> next = new ArrayDeque<>();

		/**
		 * The scripts that the server has been taught on this connection. Others are sent
		 * by their text, since a repetition would have to wait for the {@code WAIT}.
		 */
		private final Set<LuaScript> taught = new HashSet<>();

		private @Nullable ReplicatedConnection open;

		private long openSince;

		/** Whether the connection is being opened or waits for replicas. */
		private boolean busy;

		Lane(Address address) {
			this.address = address;
		}

		Lane at(String server) {
			return lane(new Address(server, this.address.replicas()));
		}

		void add(ReplicaRequest request) {
			this.lock.lock();
			try {
				request.enter(this, this.open != null && this.open.isOpen());
				this.next.addLast(request);
			}
			finally {
				this.lock.unlock();
			}
			request.watch();
			proceed();
		}

		private void proceed() {
			ReplicatedConnection present;
			List<ReplicaRequest> batch;
			this.lock.lock();
			try {
				this.next.removeIf(ReplicaRequest::isDone);
				if (this.busy || this.next.isEmpty()) {
					return;
				}
				this.busy = true;
				if (this.open != null && !this.open.isOpen()) {
					this.open = null;
				}
				present = this.open;
				batch = List.copyOf(this.next);
				if (present != null) {
					this.next.clear();
				}
			}
			finally {
				this.lock.unlock();
			}
			if (present != null) {
				send(present, batch);
			}
			else {
				connect();
			}
		}

		private void connect() {
			ReplicaLanes.this.connection.openReplicated(this.address.server()).whenComplete((opened, failure) -> {
				List<ReplicaRequest> waiting;
				this.lock.lock();
				try {
					this.busy = false;
					waiting = List.copyOf(this.next);
					if (failure != null) {
						this.next.clear();
					}
					else {
						this.open = opened;
						this.openSince = System.nanoTime();
						this.taught.clear();
					}
				}
				finally {
					this.lock.unlock();
				}
				for (ReplicaRequest request : waiting) {
					if (failure != null) {
						request.completeExceptionally(failure);
					}
					else {
						request.connected();
					}
				}
				proceed();
			});
		}

		private void send(ReplicatedConnection on, List<ReplicaRequest> batch) {
			long nanos = MILLISECOND;
			List<ReplicatedConnection.Call> calls = new ArrayList<>(batch.size());
			for (ReplicaRequest request : batch) {
				nanos = Math.max(nanos, request.leftNanos());
			}
			long millis = Math.max(1, nanos / MILLISECOND - EARLIER_MILLIS);
			ReplicaRequest.Wait wait = new ReplicaRequest.Wait(on, System.nanoTime() + millis * MILLISECOND,
					new AtomicBoolean());
			for (ReplicaRequest request : batch) {
				calls.add(request.sending(wait, this.taught.contains(request.script())));
			}
			on.run(calls, this.address.replicas(), millis)
				.toCompletableFuture()
				.copy()
				// All callers have given up long before
				.orTimeout(millis + TimeUnit.NANOSECONDS.toMillis(SETTLED_NANOS), TimeUnit.MILLISECONDS)
				.whenComplete((acknowledged, failure) -> ended(on, batch, calls, acknowledged, failure));
		}

		private void ended(ReplicatedConnection on, List<ReplicaRequest> batch, List<ReplicatedConnection.Call> calls,
				ReplicatedConnection.@Nullable Acknowledged acknowledged, @Nullable Throwable failure) {
			boolean settled;
			this.lock.lock();
			try {
				this.busy = false;
				settled = System.nanoTime() - this.openSince > SETTLED_NANOS;
				for (int i = 0; i < calls.size(); i++) {
					if (hasReply(calls.get(i))) {
						this.taught.add(batch.get(i).script());
					}
				}
			}
			finally {
				this.lock.unlock();
			}
			if (failure != null || (acknowledged != null && acknowledged.connected() == 0 && settled)) {
				on.close();
			}
			for (int i = 0; i < calls.size(); i++) {
				batch.get(i).acknowledged(calls.get(i), acknowledged, failure);
			}
			proceed();
		}

		private static boolean hasReply(ReplicatedConnection.Call call) {
			return call.reply().isDone() && !call.reply().isCompletedExceptionally();
		}

		/**
		 * Sends a call once more that the server did not execute.
		 */
		void again(ReplicaRequest request) {
			this.lock.lock();
			try {
				this.taught.remove(request.script());
				this.next.addLast(request);
			}
			finally {
				this.lock.unlock();
			}
			proceed();
		}

	}

}
