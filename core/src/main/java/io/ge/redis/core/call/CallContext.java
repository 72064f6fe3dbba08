// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.function.UnaryOperator;

/**
 * The context that a call propagates from thread to thread: the locale, the observation,
 * the principal, and whatever else an application binds to its threads.
 */
public interface CallContext {

	/**
	 * Captures the context of the current thread.
	 * @return restores it around tasks, on any thread
	 */
	UnaryOperator<Runnable> capture();

	/**
	 * Runs a task with the context of a subscriber bound to its thread.
	 */
	void within(Object context, Runnable task);

}
