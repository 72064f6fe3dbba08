// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Lets an application go on with what Redis has answered on threads of its own, and never
 * on a thread of the driver, which must not wait for anything. There are as many threads
 * as wait.
 */
final class Handover implements Executor, AutoCloseable {

	private static final int IDLE_SECONDS = 30;

	private final ThreadPoolExecutor threads;

	private final Executor instead = new CompletableFuture<>().defaultExecutor();

	Handover(ThreadFactory factory) {
		// Who waits for an answer must get it although the application is being closed
		this.threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
				new SynchronousQueue<>(), factory, (task, pool) -> this.instead.execute(task));
	}

	@Override
	public void execute(Runnable step) {
		try {
			this.threads.execute(step);
		}
		catch (Throwable ex) {
			// Such as no more threads: whoever waits must go on nevertheless
			this.instead.execute(step);
		}
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
