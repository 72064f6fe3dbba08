// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import reactor.core.scheduler.Schedulers;

/**
 * Threads that serve many calls at a time, so that none of them may wait.
 */
public final class EventLoops {

	private EventLoops() {
	}

	/**
	 * Returns whether the current thread is one of them: Reactor's own, or one of Netty's
	 * servers and clients.
	 */
	public static boolean isCurrent() {
		return Schedulers.isInNonBlockingThread();
	}

	/**
	 * Refuses a method that may wait for Redis on a thread that must not wait. Called
	 * before anything is sent, so that nothing is lost.
	 * @throws IllegalStateException on such a thread
	 */
	public static void forbidWaiting(String method, String instead) {
		if (isCurrent()) {
			throw new IllegalStateException(
					method + " may wait for Redis, and was called on " + Thread.currentThread().getName()
							+ ", a thread that must not wait, such as an event loop's: call " + instead + " there");
		}
	}

}
