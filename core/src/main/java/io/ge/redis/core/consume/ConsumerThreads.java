// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.connection.DaemonThreads;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The threads of all containers of an application.
 *
 * @param handlers runs handlers, without a bound of its own: the permits are the bound;
 * virtual threads where the application has switched them on
 * @param scheduler runs timers, which do not block
 */
public record ConsumerThreads(Executor handlers, ScheduledExecutorService scheduler) implements AutoCloseable {

	private static final String NAME = "ge-redis-consumer";

	private static final int TIMERS = 2;

	/**
	 * Creates threads, which are started when they are needed.
	 * @param virtual whether handlers run on virtual threads
	 */
	public static ConsumerThreads create(boolean virtual) {
		Executor handlers = virtual ? new VirtualThreadTaskExecutor(NAME + "-")
				: new Relay(Executors.newCachedThreadPool(DaemonThreads.named(NAME)));
		ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(TIMERS,
				DaemonThreads.named(NAME + "-timer"));
		// Most timers are cancelled
		scheduler.setRemoveOnCancelPolicy(true);
		return new ConsumerThreads(handlers, scheduler);
	}

	@Nullable ScheduledFuture<?> later(Duration delay, Runnable action) {
		try {
			return this.scheduler.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application ends
			return null;
		}
	}

	/**
	 * Ends the timers. Running handlers finish.
	 */
	@Override
	public void close() {
		this.scheduler.shutdownNow();
		if (this.handlers instanceof Relay relay) {
			relay.close();
		}
	}

}
