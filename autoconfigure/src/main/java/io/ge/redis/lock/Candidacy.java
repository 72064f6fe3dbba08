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

	CallBudget budget;

	@Nullable Future<?> backstop;

	Candidacy(String handle, CallBudget budget) {
		this.handle = handle;
		this.budget = budget;
	}

}
