/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.function.UnaryOperator;

/**
 * What belongs to the thread that calls a guarded method, and without which the call
 * would not be what it is where it goes on.
 */
public interface CallScope {

	/**
	 * Takes what is bound to the current thread, when a method is called.
	 * @return runs a task with it, whichever thread it is given to
	 */
	default UnaryOperator<Runnable> capture() {
		return UnaryOperator.identity();
	}

}
