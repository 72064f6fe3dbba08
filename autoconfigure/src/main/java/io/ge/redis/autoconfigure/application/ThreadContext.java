// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.application;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.CallContext;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.util.ClassUtils;

/**
 * Propagates what an application binds to its threads, where Micrometer's context
 * propagation is present, else nothing.
 */
public final class ThreadContext implements CallContext {

	private static final boolean PROPAGATING = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			ThreadContext.class.getClassLoader());

	@Override
	public UnaryOperator<Runnable> capture() {
		return PROPAGATING ? Micrometer.capture() : UnaryOperator.identity();
	}

	@Override
	public void within(Object context, Runnable task) {
		if (PROPAGATING) {
			Micrometer.within(context, task);
		}
		else {
			task.run();
		}
	}

	private static final class Micrometer {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static UnaryOperator<Runnable> capture() {
			return SNAPSHOTS.captureAll()::wrap;
		}

		static void within(Object context, Runnable task) {
			try (ContextSnapshot.Scope scope = SNAPSHOTS.setThreadLocalsFrom(context)) {
				task.run();
			}
		}

	}

}
