// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.ReplicatedConnection;
import io.ge.redis.core.connection.ReplyErrors;
import io.ge.redis.core.connection.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts whose writes a number of replicas are to have, on connections of their
 * own, each opened when it is first needed.
 * <p>
 * There is a lane for each server and number of replicas. All scripts that are wanted
 * when it is free are sent together with one {@code WAIT} behind them; later ones share
 * the next. No call loses by that: the first {@code WAIT} ends as soon as so many
 * replicas have the earlier writes, and until then they cannot have later ones.
 * <p>
 * Each call ends with its own timeout, and at most {@link #LATE_MILLIS} later. An idle
 * server notices only at its next tick, up to 100 ms late, that the time of a
 * {@code WAIT} is over. Until there is a connection, a call has a time of its own. A
 * connection that comes later serves the next calls.
 * <p>
 * A server that does not answer in time, has no replica, or answers with an error loses
 * its connection. The next call looks for the primary again. If only the slot of a call
 * moves, that call fails alone, and the map of the cluster is read again.
 */
final class ReplicaLanes {

	private static final int LATE_MILLIS = 150;

	/** Longer than the driver needs, which reports no end once it is stopped. */
	private static final long OPENING_MILLIS = 10_000;

	private static final Duration NEW_MAP = Duration.ofSeconds(2);

	/** Minimum age of a connection that is replaced since there are no replicas. */
	private static final long SETTLED_NANOS = 1_000_000_000;

	private static final ReplicatedReply UNKNOWN = new ReplicatedReply(new ScriptReply(List.of()), -1, -1);

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
		Request request = new Request(call, timeout.toMillis(), connecting.toMillis());
		this.lanes.computeIfAbsent(new Address((shard != null) ? shard.server() : null, replicas), Lane::new)
			.add(request);
		return request;
	}

	private record Address(@Nullable String server, int replicas) {
	}

	/**
	 * A connection, the scripts that it runs and the next ones.
	 */
	private final class Lane {

		private final Address address;

		private final Lock lock = new ReentrantLock();

		private final List<Request> next = new ArrayList<>();

		private @Nullable ReplicatedConnection open;

		private long openSince;

		/** Whether the connection is being opened or waits for replicas. */
		private boolean busy;

		Lane(Address address) {
			this.address = address;
		}

		void add(Request request) {
			this.lock.lock();
			try {
				this.next.add(request);
				if (this.open != null && this.open.isOpen()) {
					request.begin();
				}
			}
			finally {
				this.lock.unlock();
			}
			proceed();
		}

		private void proceed() {
			ReplicatedConnection present;
			List<Request> batch;
			this.lock.lock();
			try {
				this.next.removeIf(Request::isDone);
				if (this.busy || this.next.isEmpty()) {
					return;
				}
				this.busy = true;
				present = (this.open != null && this.open.isOpen()) ? this.open : null;
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
			CompletableFuture<ReplicatedConnection> opening = ReplicaLanes.this.connection
				.openReplicated(this.address.server())
				.toCompletableFuture();
			opening.copy()
				.orTimeout(OPENING_MILLIS, TimeUnit.MILLISECONDS)
				.whenComplete((opened, failure) -> connected(opening, opened, failure));
		}

		private void connected(CompletableFuture<ReplicatedConnection> opening, @Nullable ReplicatedConnection opened,
				@Nullable Throwable failure) {
			List<Request> waiting;
			this.lock.lock();
			try {
				this.busy = false;
				this.open = opened;
				this.openSince = System.nanoTime();
				waiting = List.copyOf(this.next);
				if (failure != null) {
					this.next.clear();
				}
			}
			finally {
				this.lock.unlock();
			}
			if (failure != null) {
				opening.thenAccept(ReplicatedConnection::close);
				waiting.forEach((request) -> request.completeExceptionally(failure));
			}
			else {
				waiting.forEach(Request::begin);
			}
			proceed();
		}

		private void send(ReplicatedConnection on, List<Request> batch) {
			long millis = batch.stream().mapToLong(Request::leftMillis).max().orElse(1);
			AtomicBoolean moved = new AtomicBoolean();
			List<ReplicatedConnection.Call> calls = batch.stream().map((request) -> call(request, on, moved)).toList();
			on.run(calls, this.address.replicas(), millis)
				.toCompletableFuture()
				.copy()
				.orTimeout(millis + LATE_MILLIS, TimeUnit.MILLISECONDS)
				.whenComplete((acknowledged, failure) -> {
					boolean settled = System.nanoTime() - this.openSince > SETTLED_NANOS;
					if (acknowledged == null || (acknowledged.connected() == 0 && settled)) {
						on.close();
					}
					for (int i = 0; i < calls.size(); i++) {
						batch.get(i).end(calls.get(i), acknowledged, failure);
					}
					this.lock.lock();
					this.busy = false;
					this.lock.unlock();
					proceed();
				});
		}

		private ReplicatedConnection.Call call(Request request, ReplicatedConnection on, AtomicBoolean moved) {
			ScriptCall call = request.call;
			long started = System.nanoTime();
			CompletableFuture<List<?>> reply = new CompletableFuture<>();
			reply.whenComplete((elements, failure) -> {
				ReplicaLanes.this.listener.onExecuted(call.script(), System.nanoTime() - started, failure);
				if (failure != null) {
					if (!ReplyErrors.isRedirection(failure)) {
						on.close();
					}
					request.completeExceptionally(failure);
					if (ReplyErrors.isMoved(failure) && moved.compareAndSet(false, true)) {
						ReplicaLanes.this.connection.awaken(call.keys()[0], NEW_MAP);
					}
				}
			});
			return new ReplicatedConnection.Call(call.script().text(), call.keys(), call.arguments(), reply);
		}

	}

	/**
	 * A script that is to be run, and its caller.
	 */
	private static final class Request extends CompletableFuture<ReplicatedReply> {

		private final ScriptCall call;

		private final long timeoutMillis;

		private final CompletableFuture<Void> connected = new CompletableFuture<>();

		private volatile long began;

		Request(ScriptCall call, long timeoutMillis, long connectingMillis) {
			this.call = call;
			this.timeoutMillis = timeoutMillis;
			this.connected.orTimeout(connectingMillis, TimeUnit.MILLISECONDS).whenComplete((begun, failure) -> {
				if (failure != null) {
					completeExceptionally(failure);
				}
			});
		}

		/**
		 * Begins the time of the call, once there is a connection.
		 */
		void begin() {
			this.began = System.nanoTime();
			this.connected.complete(null);
			completeOnTimeout(UNKNOWN, this.timeoutMillis + LATE_MILLIS, TimeUnit.MILLISECONDS);
		}

		long leftMillis() {
			return Math.max(1, this.timeoutMillis - (System.nanoTime() - this.began) / 1_000_000);
		}

		void end(ReplicatedConnection.Call sent, ReplicatedConnection.@Nullable Acknowledged acknowledged,
				@Nullable Throwable failure) {
			if (acknowledged == null) {
				completeExceptionally((failure != null) ? failure : new IllegalStateException("No reply"));
				return;
			}
			sent.reply()
				.thenAccept((reply) -> complete(new ReplicatedReply(new ScriptReply(reply), acknowledged.replicas(),
						acknowledged.connected())));
		}

	}

}
