// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.connection.ReplicatedConnection;
import io.ge.redis.core.connection.ReplyErrors;
import org.jspecify.annotations.Nullable;

/**
 * A script to run, and the result for its caller.
 */
final class ReplicaRequest extends CompletableFuture<ReplicatedReply> {

	private static final long ROUND_TRIP_NANOS = 25_000_000;

	private final ReplicaLanes lanes;

	private final ScriptCall call;

	private final long timeoutNanos;

	private final long connectingNanos;

	private volatile long deadline;

	private volatile boolean connected;

	/** Whether another server has sent it here. */
	private volatile boolean redirected;

	private volatile ReplicaLanes.@Nullable Lane lane;

	/** The call under way, and its connection. */
	private volatile @Nullable Sent sent;

	ReplicaRequest(ReplicaLanes lanes, ScriptCall call, long timeoutNanos, long connectingNanos) {
		this.lanes = lanes;
		this.call = call;
		this.timeoutNanos = timeoutNanos;
		this.connectingNanos = connectingNanos;
	}

	LuaScript script() {
		return this.call.script();
	}

	void enter(ReplicaLanes.Lane chosen, boolean open) {
		this.lane = chosen;
		this.sent = null;
		this.connected = open;
		this.deadline = System.nanoTime() + (open ? this.timeoutNanos : this.connectingNanos);
	}

	void connected() {
		this.connected = true;
		this.deadline = System.nanoTime() + this.timeoutNanos;
		watch();
	}

	long leftNanos() {
		return this.deadline - System.nanoTime();
	}

	ReplicatedConnection.Call sending(Wait wait, boolean known) {
		LuaScript script = this.call.script();
		ReplicatedConnection.Call sending = new ReplicatedConnection.Call(script.sha(), script.text(), known,
				this.call.keys(), this.call.arguments(), new CompletableFuture<>());
		this.sent = new Sent(sending, wait);
		long started = System.nanoTime();
		sending.reply().whenComplete((reply, failure) -> {
			this.lanes.listener().onExecuted(script, System.nanoTime() - started, failure);
			if (failure != null) {
				refused(sending, wait.on(), failure);
			}
		});
		return sending;
	}

	private void refused(ReplicatedConnection.Call refused, ReplicatedConnection on, Throwable failure) {
		ReplicaLanes.Lane present = this.lane;
		if (present == null || isDone()) {
			return;
		}
		String server = ReplyErrors.movedTo(failure);
		if (server != null && !this.redirected) {
			this.redirected = true;
			present.at(server).add(this);
		}
		else if (refused.known() && ReplyErrors.isNoScript(failure)) {
			this.sent = null;
			present.again(this);
		}
		else {
			on.close();
			completeExceptionally(failure);
		}
	}

	void acknowledged(ReplicatedConnection.Call of, ReplicatedConnection.@Nullable Acknowledged acknowledged,
			@Nullable Throwable failure) {
		Sent present = this.sent;
		if (present == null || present.call() != of) {
			return; // sent once more
		}
		if (failure != null) {
			completeExceptionally(failure);
		}
		else if (acknowledged != null) {
			of.reply()
				.thenAccept((reply) -> complete(new ReplicatedReply(new ScriptReply(reply), acknowledged.replicas(),
						acknowledged.connected())));
		}
	}

	void watch() {
		watch(this.deadline);
	}

	private void watch(long until) {
		CompletableFuture.delayedExecutor(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS, Runnable::run)
			.execute(this::look);
	}

	private void look() {
		long over = System.nanoTime() - this.deadline;
		Sent present = this.sent;
		if (isDone() || over < 0) {
			return; // or there is a later deadline, which is watched too
		}
		if (!this.connected) {
			completeExceptionally(new TimeoutException("no connection in time"));
		}
		else if (present != null && over < ROUND_TRIP_NANOS) {
			if (present.until().isToBeWoken()) {
				this.lanes.connection().evalSha(this.call.script().sha(), this.call.keys(), this.call.arguments());
			}
			watch(this.deadline + ROUND_TRIP_NANOS);
		}
		else if (present != null && !present.call().reply().isDone()) {
			completeExceptionally(new TimeoutException("no answer in time"));
			present.until().on().close();
		}
		else {
			complete(new ReplicatedReply(new ScriptReply(List.of()), -1, -1));
		}
	}

	private record Sent(ReplicatedConnection.Call call, Wait until) {
	}

	record Wait(ReplicatedConnection on, long end, AtomicBoolean woken) {

		boolean isToBeWoken() {
			return System.nanoTime() - this.end >= 0 && this.woken.compareAndSet(false, true);
		}

	}

}
