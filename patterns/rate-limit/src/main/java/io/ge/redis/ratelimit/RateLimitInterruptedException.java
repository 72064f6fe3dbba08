// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import io.ge.redis.GeRedisException;

/**
 * The thread was interrupted while it waited for permits. The permits of the call are
 * refunded, the guarded method has not run, and the thread's interrupt status is set.
 */
public class RateLimitInterruptedException extends GeRedisException {

	/**
	 * Creates an exception.
	 * @param name the limit
	 * @param cause the interruption
	 */
	public RateLimitInterruptedException(String name, InterruptedException cause) {
		super("Interrupted while waiting for a permit of rate limit '" + name + "'", cause);
	}

}
