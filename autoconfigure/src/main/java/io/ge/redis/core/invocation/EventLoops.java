/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import reactor.core.scheduler.Schedulers;

import org.springframework.util.ClassUtils;

/**
 * Threads that serve many calls at a time, so that none of them may wait.
 */
final class EventLoops {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.scheduler.NonBlocking",
			EventLoops.class.getClassLoader());

	private EventLoops() {
	}

	/**
	 * Returns whether the current thread is one of them.
	 */
	static boolean isCurrent() {
		return REACTOR && Reactor.isCurrent();
	}

	/**
	 * As Reactor knows them: its own, and those of Netty's servers and clients.
	 */
	private static final class Reactor {

		static boolean isCurrent() {
			return Schedulers.isInNonBlockingThread();
		}

	}

}
