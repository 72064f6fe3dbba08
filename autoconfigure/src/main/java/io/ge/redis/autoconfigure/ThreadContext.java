/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * What the application has bound to a thread, such as a trace, on its way to another one:
 * by Micrometer's context propagation, where it is present.
 */
final class ThreadContext {

	private static final boolean PROPAGATING = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			ThreadContext.class.getClassLoader());

	private ThreadContext() {
	}

	/**
	 * Returns a task that finds on its thread what is bound to the current one.
	 */
	static Runnable carriedBy(Runnable task) {
		return PROPAGATING ? Micrometer.carriedBy(task) : task;
	}

	private static final class Micrometer {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static Runnable carriedBy(Runnable task) {
			return SNAPSHOTS.captureAll().wrap(task);
		}

	}

}
