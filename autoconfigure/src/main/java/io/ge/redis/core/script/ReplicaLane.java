/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.script;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.ReplicatedConnection;
import org.jspecify.annotations.Nullable;

/**
 * A connection, who is served on it and who comes next.
 */
final class ReplicaLane {

	private static final long MILLISECOND = 1_000_000;

	/** So that the time is over at the server when it is here. */
	private static final long EARLIER_MILLIS = 2;

	/** How old a connection is at least that is replaced since there are no replicas. */
	private static final long SETTLED_NANOS = 1_000_000_000;

	private final GuardConnection connection;

	private final @Nullable String server;

	private final int replicas;

	private final Lock lock = new ReentrantLock();

	private final Deque<ReplicaWish> next = new ArrayDeque<>();

	/** The scripts that the server has been taught on this connection. */
	private final Set<LuaScript> taught = new HashSet<>();

	private @Nullable ReplicatedConnection open;

	private long openSince;

	/** Whether the connection is being opened or waits for replicas. */
	private boolean busy;

	/**
	 * Creates a lane that is not yet connected.
	 * @param connection opens its connection
	 * @param server the server, or {@code null} if there is only one
	 * @param replicas how many replicas are wanted
	 */
	ReplicaLane(GuardConnection connection, @Nullable String server, int replicas) {
		this.connection = connection;
		this.server = server;
		this.replicas = replicas;
	}

	int replicas() {
		return this.replicas;
	}

	void add(ReplicaWish wish) {
		this.lock.lock();
		try {
			wish.enter(this, this.open != null && this.open.isOpen());
			this.next.addLast(wish);
		}
		finally {
			this.lock.unlock();
		}
		wish.watch();
		proceed();
	}

	private void proceed() {
		ReplicatedConnection present;
		List<ReplicaWish> batch;
		this.lock.lock();
		try {
			this.next.removeIf(ReplicaWish::isDone);
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
		opening().whenComplete((opened, failure) -> {
			List<ReplicaWish> waiting;
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
			for (ReplicaWish wish : waiting) {
				if (failure != null) {
					wish.completeExceptionally(failure);
				}
				else {
					wish.connected();
				}
			}
			proceed();
		});
	}

	private CompletionStage<ReplicatedConnection> opening() {
		try {
			return this.connection.openReplicated(this.server);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void send(ReplicatedConnection on, List<ReplicaWish> batch) {
		long nanos = MILLISECOND;
		List<ReplicatedConnection.Call> calls = new ArrayList<>(batch.size());
		for (ReplicaWish wish : batch) {
			nanos = Math.max(nanos, wish.leftNanos());
		}
		long millis = Math.max(1, nanos / MILLISECOND - EARLIER_MILLIS);
		ReplicaWish.Wait wait = new ReplicaWish.Wait(on, System.nanoTime() + millis * MILLISECOND, new AtomicBoolean());
		for (ReplicaWish wish : batch) {
			calls.add(wish.sending(wait, this.taught.contains(wish.script())));
		}
		on.run(calls, this.replicas, millis)
			.toCompletableFuture()
			.copy()
			// Whoever waits has given up long before
			.orTimeout(millis + TimeUnit.NANOSECONDS.toMillis(SETTLED_NANOS), TimeUnit.MILLISECONDS)
			.whenComplete((acknowledged, failure) -> ended(on, batch, calls, acknowledged, failure));
	}

	private void ended(ReplicatedConnection on, List<ReplicaWish> batch, List<ReplicatedConnection.Call> calls,
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
	void again(ReplicaWish wish) {
		this.lock.lock();
		try {
			this.taught.remove(wish.script());
			this.next.addLast(wish);
		}
		finally {
			this.lock.unlock();
		}
		proceed();
	}

}
