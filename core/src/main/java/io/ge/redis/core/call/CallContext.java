// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.function.UnaryOperator;

/**
 * The context that a call propagates from thread to thread: the locale, the observation,
 * the principal, and whatever else an application binds to its threads.
 */
public interface CallContext {

	/**
	 * Takes what is bound to the current thread.
	 * @return lets tasks find it on whichever thread they run
	 */
	UnaryOperator<Runnable> capture();

	/**
	 * Runs a task that finds on its thread what a subscriber has in its context.
	 */
	void within(Object context, Runnable task);

}
