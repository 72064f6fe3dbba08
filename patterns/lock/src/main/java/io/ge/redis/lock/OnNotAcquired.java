// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

/**
 * Behaviour of a call that does not get its lock.
 */
public enum OnNotAcquired {

	/**
	 * {@link LockNotAcquiredException} is thrown.
	 */
	THROW,

	/**
	 * The method is skipped: the caller gets {@code null}, or the empty {@code Optional};
	 * for an asynchronous result a future of those, or an empty publisher. So it is while
	 * Redis is unavailable and the policy is {@code DENY}, with one warning per outage
	 * instead of an exception per call. Refused at startup for methods that return a
	 * primitive, or a publisher that is never empty.
	 */
	SKIP,

	/**
	 * The method named by {@link DistributedLock#fallback()} answers.
	 */
	FALLBACK

}
