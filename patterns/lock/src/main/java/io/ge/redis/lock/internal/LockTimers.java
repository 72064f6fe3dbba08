// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.ge.redis.core.connection.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * The timers of the locks of this instance, all on one thread. What they start runs on
 * the driver's threads, so a command that hangs delays no other.
 */
final class LockTimers {

	private static final long WAKEFUL_MILLIS = 200;

	private final ScheduledThreadPoolExecutor timers;

	private final AtomicBoolean wakeful = new AtomicBoolean();

	LockTimers() {
		this.timers = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("ge-redis-lock"));
		this.timers.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Runs a task on the thread of the timers.
	 */
	void run(Runnable task) {
		try {
			this.timers.execute(task);
		}
		catch (RejectedExecutionException ex) {
			task.run(); // shutting down
		}
	}

	@Nullable Future<?> schedule(Runnable task, long nanos) {
		try {
			stayWakeful();
			return this.timers.schedule(task, nanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return null; // shutting down: the lease ends by itself
		}
	}

	static void cancel(@Nullable Future<?> timer) {
		if (timer != null) {
			timer.cancel(false);
		}
	}

	/**
	 * A timer that becomes the next one due wakes the thread of the timers, which then
	 * goes back to sleep: twice per cycle of an uncontended lock, and as expensive as the
	 * cycle. So while there are timers, a short one is always ahead of them.
	 */
	private void stayWakeful() {
		if (!this.wakeful.get() && this.wakeful.compareAndSet(false, true)) {
			this.timers.schedule(this::rest, WAKEFUL_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void rest() {
		this.wakeful.set(false);
		if (!this.timers.getQueue().isEmpty()) {
			stayWakeful();
		}
	}

	void close() {
		this.timers.shutdownNow();
	}

}
