// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

/**
 * The state of a limit after a decision.
 *
 * @param restoredNanos time until the next permit is restored, zero if none is missing
 * @param waitNanos time until the limit would no longer refuse the request, zero if it
 * does not
 */
record LimitState(PermitRequest request, long remaining, long restoredNanos, long waitNanos) {

	boolean refuses() {
		return this.waitNanos > 0;
	}

}
