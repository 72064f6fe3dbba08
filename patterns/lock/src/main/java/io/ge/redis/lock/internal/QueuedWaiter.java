// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.concurrent.Future;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * This instance as a waiter for a lock, as Redis knows it: by one handle, for whichever
 * caller is the first when the lock is granted. Guarded by {@link LocalLocks}.
 */
final class QueuedWaiter {

	final String handle;

	/** Whether a question is under way, or a release that leads to an answer. */
	boolean asking = true;

	/** Whether the pending answer may be older than a message that has arrived. */
	boolean askAgain;

	CallBudget budget;

	@Nullable Future<?> backstop;

	QueuedWaiter(String handle, CallBudget budget) {
		this.handle = handle;
		this.budget = budget;
	}

}
