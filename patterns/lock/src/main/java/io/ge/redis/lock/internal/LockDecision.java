// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The result of asking for a lock.
 */
sealed interface LockDecision {

	record Acquired(HeldLock lock) implements LockDecision {
	}

	/**
	 * The lock stayed with another for the whole wait.
	 */
	record Refused(@Nullable Duration retryAfter) implements LockDecision {
	}

}
