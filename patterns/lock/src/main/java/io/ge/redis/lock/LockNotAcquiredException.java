// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * A call did not get its lock and has not run. Over HTTP a 409, or a 423 by
 * configuration.
 */
public class LockNotAcquiredException extends GeRedisException {

	private final String name;

	private final @Nullable Duration retryAfter;

	/**
	 * Creates an exception.
	 * @param name the name of the lock
	 * @param retryAfter when the lock is free, or {@code null} if that is unknown
	 */
	public LockNotAcquiredException(String name, @Nullable Duration retryAfter) {
		super("The lock '" + name + "' is held by another call");
		this.name = name;
		this.retryAfter = retryAfter;
	}

	/**
	 * Returns the name of the lock.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns when the lock is free, if that is known: while it only stays taken for the
	 * {@code atLeastFor} of a call that is over. The lease does not limit it: it ends
	 * long after the work of its holder, and is extended if it does not.
	 * @return the time until then, or {@code null} if it is unknown
	 */
	public @Nullable Duration retryAfter() {
		return this.retryAfter;
	}

	@Override
	public Refusal refusal() {
		return Refusal
			.of(409, "lock-not-acquired", "Another call is at work",
					"Another call holds the lock '" + this.name + "'. Try again later.")
			.withRetryAfter(this.retryAfter);
	}

}
