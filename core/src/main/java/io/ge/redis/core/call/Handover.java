// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Lets an application continue after an answer of Redis on threads of its own. It never
 * continues on a thread of the driver, which must not wait. There are as many threads as
 * wait.
 */
final class Handover implements Executor, AutoCloseable {

	private static final int IDLE_SECONDS = 30;

	private final ThreadPoolExecutor threads;

	private final Executor instead = new CompletableFuture<>().defaultExecutor();

	Handover(ThreadFactory factory) {
		// Waiting callers must get their answer although the application is being closed
		this.threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
				new SynchronousQueue<>(), factory, (task, pool) -> this.instead.execute(task));
	}

	@Override
	public void execute(Runnable step) {
		try {
			this.threads.execute(step);
		}
		catch (Throwable ex) {
			// Such as no more threads: waiting callers must continue nevertheless
			this.instead.execute(step);
		}
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
