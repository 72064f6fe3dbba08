/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.Future;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The wish of this instance for a lock, as Redis knows it: by one handle, for whoever
 * waits first when it is fulfilled. Guarded by {@link LocalLocks}.
 */
final class Candidacy {

	final String handle;

	/** Whether a question is under way, or a release that leads to an answer. */
	boolean asking = true;

	/** Whether the answer that is under way may be older than what has been heard. */
	boolean askAgain;

	/**
	 * The last time, by the clock of the server, at which the lock was somebody else's. A
	 * message about a grant from before has a lower token: whoever stood still while that
	 * grant ended hears of it only now.
	 */
	long takenAt;

	/** When the last question was sent that was answered with no, or the first one. */
	long absentSince;

	CallBudget budget;

	@Nullable Future<?> backstop;

	/** Whether the lock was granted by a message; read without guard. */
	volatile boolean granted;

	Candidacy(String handle, CallBudget budget) {
		this.handle = handle;
		this.budget = budget;
		this.absentSince = System.nanoTime();
	}

}
