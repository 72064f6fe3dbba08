// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends futures whose time is over, at most a few milliseconds late.
 * <p>
 * {@link CompletableFuture#orTimeout} gives each future a timer of its own. With few
 * calls under way, nearly each one is the next to be due when it begins. So the thread of
 * the timers would wake for each call, which costs as much as the call. Here one check
 * every {@value #LOOK_MILLIS} milliseconds is enough for all calls, and there is none
 * without pending calls.
 */
final class Deadlines {

	static final long LOOK_MILLIS = 4;

	private final Queue<Watched> watched = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	/**
	 * Ends a future with {@link TimeoutException} unless it is done in time.
	 */
	void watch(CompletableFuture<?> future, long nanos) {
		if (future.isDone()) {
			return;
		}
		this.watched.add(new Watched(future, System.nanoTime() + nanos, nanos));
		lookLater();
	}

	int size() {
		return this.watched.size();
	}

	private void lookLater() {
		if (!this.looking.get() && this.looking.compareAndSet(false, true)) {
			try {
				// On the timer's own thread, as the timers of futures are
				CompletableFuture<Void> pause = new CompletableFuture<>();
				pause.thenRun(this::look);
				pause.completeOnTimeout(null, LOOK_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (RuntimeException | Error ex) {
				// No check is scheduled, so the next call has to try again
				this.looking.set(false);
				throw ex;
			}
		}
	}

	private void look() {
		try {
			long now = System.nanoTime();
			this.watched.removeIf((call) -> call.isOver(now));
		}
		finally {
			this.looking.set(false);
			if (!this.watched.isEmpty()) {
				lookLater();
			}
		}
	}

	private record Watched(CompletableFuture<?> future, long deadline, long nanos) {

		boolean isOver(long now) {
			if (this.future.isDone()) {
				return true;
			}
			return now - this.deadline >= 0 && this.future.completeExceptionally(
					new TimeoutException("No answer within " + TimeUnit.NANOSECONDS.toMillis(this.nanos) + " ms"));
		}

	}

}
