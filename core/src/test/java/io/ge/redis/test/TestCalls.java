// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.core.call.CallContext;
import io.ge.redis.core.call.CallScope;
import io.ge.redis.core.call.GuardedCalls;

/**
 * Calls whose results come later, with which nothing goes along.
 */
public final class TestCalls {

	private TestCalls() {
	}

	public static GuardedCalls plain() {
		return within(List::of);
	}

	public static GuardedCalls within(Supplier<? extends List<? extends CallScope>> scopes) {
		return new GuardedCalls(new NoContext(), scopes);
	}

	private static final class NoContext implements CallContext {

		@Override
		public UnaryOperator<Runnable> capture() {
			return UnaryOperator.identity();
		}

		@Override
		public void within(Object context, Runnable task) {
			task.run();
		}

	}

}
