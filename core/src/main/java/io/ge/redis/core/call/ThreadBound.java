// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A value that is bound to a thread while a task runs there.
 */
public final class ThreadBound<T> {

	private final ThreadLocal<@Nullable T> current = new ThreadLocal<>();

	public @Nullable T get() {
		return this.current.get();
	}

	/**
	 * Binds a value, or hides the one that is bound.
	 * @return runs a task with it, on any thread
	 */
	public UnaryOperator<Runnable> binding(@Nullable T value) {
		return (task) -> () -> run(value, task);
	}

	/**
	 * Captures the value of the current thread.
	 * @return runs a task with it, if there is one, on any thread
	 */
	public UnaryOperator<Runnable> capture() {
		T value = this.current.get();
		return (value != null) ? binding(value) : UnaryOperator.identity();
	}

	private void run(@Nullable T value, Runnable task) {
		T before = this.current.get();
		set(value);
		try {
			task.run();
		}
		finally {
			set(before);
		}
	}

	private void set(@Nullable T value) {
		if (value != null) {
			this.current.set(value);
		}
		else {
			this.current.remove();
		}
	}

}
