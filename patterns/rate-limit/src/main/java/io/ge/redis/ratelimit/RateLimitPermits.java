// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

/**
 * The permits that a decision has taken, to be refunded at most once.
 */
public interface RateLimitPermits {

	/**
	 * Returns how many permits of each limit were taken.
	 * @return the number, zero if nothing was counted
	 */
	long count();

}
