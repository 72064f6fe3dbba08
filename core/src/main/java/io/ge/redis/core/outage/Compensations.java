// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Compensates commands of unknown outcome, which may have left something in Redis, and
 * repeats recent writes on a new primary, which may have lost them.
 * <p>
 * A compensation is sent at once, on the connection of the command. So the server reads
 * it after the command and before whatever its caller sends next. It is sent by its text,
 * since a script that must be repeated would be overtaken. If that fails too it is kept,
 * and sent again soon, or when Redis is back and before calls are let through; by then
 * the server has read whatever was left on old connections (see
 * {@code LettuceGuardConnection}). What is older than its own expiry in Redis needs no
 * compensation any more and is dropped. If the list is still full, the oldest entry is
 * dropped.
 */
public final class Compensations {

	static final int CAPACITY = 10_000;

	/** Number of writes that are repeated before their replies are awaited. */
	private static final int MOST_AT_ONCE = 100;

	private static final Log logger = LogFactory.getLog(Compensations.class);

	private final ScriptExecutor scripts;

	private final BlockingQueue<Pending> pending = new LinkedBlockingQueue<>(CAPACITY);

	/** Acknowledged writes, the oldest first. */
	private final BlockingQueue<Pending> acknowledged = new LinkedBlockingQueue<>(CAPACITY);

	private final AtomicInteger newPrimaries = new AtomicInteger();

	private final AtomicBoolean retrying = new AtomicBoolean();

	private final Breaker breaker;

	private final Duration failoverRepair;

	/**
	 * Sends compensations.
	 * @param failoverRepair the time for which acknowledged writes are kept
	 */
	public Compensations(ScriptExecutor scripts, Breaker breaker, Duration failoverRepair) {
		this.scripts = scripts;
		this.breaker = breaker;
		this.failoverRepair = failoverRepair;
		breaker.beforeRecovery(this::sendAll);
		// Compensations that have failed meanwhile
		breaker.onRecovery(this::sendAll);
	}

	/**
	 * Sends a compensation, now and again until Redis has answered it.
	 * @param call idempotent, and without effect where the command did not run
	 * @param useful the lifetime in Redis of the compensated effect
	 */
	public void submit(ScriptCall call, Duration useful) {
		send(new Pending(call.inOrder(), System.nanoTime() + useful.toNanos()));
	}

	public int size() {
		return this.pending.size();
	}

	/**
	 * Keeps an acknowledged write, to repeat it on a new primary. Earlier ones are
	 * forgotten when their time is over or there are too many.
	 * @param primary the number of new primaries when the write was sent
	 */
	void acknowledged(ScriptCall call, int primary) {
		for (Pending first = this.acknowledged.peek(); first != null
				&& first.isOver(); first = this.acknowledged.peek()) {
			this.acknowledged.remove(first);
		}
		Pending write = new Pending(call, System.nanoTime() + this.failoverRepair.toNanos());
		while (!this.acknowledged.offer(write)) {
			this.acknowledged.poll();
		}
		if (primary != newPrimaries()) {
			// It was repeated without this one
			submit(call, this.failoverRepair);
		}
	}

	public void onNewPrimary() {
		this.newPrimaries.incrementAndGet();
		repeat(List.copyOf(this.acknowledged));
	}

	private void repeat(List<Pending> writes) {
		if (writes.isEmpty()) {
			return;
		}
		List<Pending> now = writes.subList(0, Math.min(writes.size(), MOST_AT_ONCE));
		List<Pending> later = writes.subList(now.size(), writes.size());
		CompletableFuture<?>[] sent = now.stream()
			.map((write) -> send(new Pending(write.call(), System.nanoTime() + this.failoverRepair.toNanos())))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(sent).thenRun(() -> repeat(later));
	}

	int newPrimaries() {
		return this.newPrimaries.get();
	}

	private CompletableFuture<?> send(Pending compensation) {
		return this.scripts.run(compensation.call()).handle((reply, failure) -> {
			if (failure != null && !compensation.isOver()) {
				keep(compensation);
				retryUnlessRecoveryDoes(compensation.call());
			}
			return null;
		});
	}

	/**
	 * A connection that was lost and replaced at once opens no breaker, so that no
	 * recovery follows.
	 */
	private void retryUnlessRecoveryDoes(ScriptCall call) {
		if (this.breaker.openCause(call.firstKey()) == null && this.retrying.compareAndSet(false, true)) {
			this.breaker.later(() -> {
				this.retrying.set(false);
				sendAll();
			});
		}
	}

	private void keep(Pending compensation) {
		while (!this.pending.offer(compensation)) {
			if (!this.pending.removeIf(Pending::isOver) && this.pending.poll() != null) {
				logger.warn("More than " + CAPACITY
						+ " commands of unknown outcome: the oldest is left to its expiry in Redis");
			}
		}
	}

	private void sendAll() {
		List<Pending> due = new ArrayList<>();
		this.pending.drainTo(due);
		due.removeIf(Pending::isOver);
		due.forEach(this::send);
	}

	private record Pending(ScriptCall call, long deadline) {

		boolean isOver() {
			return System.nanoTime() - this.deadline >= 0;
		}
	}

}
