// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.function.UnaryOperator;

/**
 * State of the thread that calls a guarded method, without which the call would be
 * another one where it continues.
 */
public interface CallScope {

	/**
	 * Captures the state of the current thread, when a method is called.
	 * @return runs a task with it, on any thread
	 */
	default UnaryOperator<Runnable> capture() {
		return UnaryOperator.identity();
	}

}
