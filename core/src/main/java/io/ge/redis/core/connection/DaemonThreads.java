// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Makes the threads of the guards. They end with the JVM. They do not inherit the class
 * loader of the first request, which would look like a leak to a servlet container.
 */
public final class DaemonThreads {

	private DaemonThreads() {
	}

	public static ThreadFactory named(String name) {
		return (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
			return thread;
		};
	}

	/**
	 * Starts the timer that all futures of the JVM share, before a request does.
	 */
	public static void startTimer() {
		Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.NANOSECONDS, Runnable::run);
		named("ge-redis-timer").newThread(() -> later.execute(() -> {
		})).start();
	}

}
