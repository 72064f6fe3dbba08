// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import reactor.core.scheduler.Schedulers;

import org.springframework.util.ClassUtils;

/**
 * Threads that serve many calls at a time, so that none of them may wait.
 */
public final class EventLoops {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.scheduler.NonBlocking",
			EventLoops.class.getClassLoader());

	private EventLoops() {
	}

	/**
	 * Returns whether the current thread is one of them.
	 */
	public static boolean isCurrent() {
		return REACTOR && Reactor.isCurrent();
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

	/**
	 * The event loops that Reactor knows: its own, and those of Netty's servers and
	 * clients.
	 */
	private static final class Reactor {

		public static boolean isCurrent() {
			return Schedulers.isInNonBlockingThread();
		}

	}

}
