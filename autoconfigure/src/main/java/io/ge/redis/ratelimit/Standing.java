/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

/**
 * Where one demand's limit stands after a decision.
 *
 * @param demand the demand
 * @param remaining permits left
 * @param restoredNanos time until the next permit is restored, zero if none is missing
 * @param waitNanos time until the limit would no longer refuse the demand, zero if it
 * does not
 */
record Standing(Demand demand, long remaining, long restoredNanos, long waitNanos) {

	boolean refuses() {
		return this.waitNanos > 0;
	}

}
