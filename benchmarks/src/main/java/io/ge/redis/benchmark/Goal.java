// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

/**
 * What a contender is to reach beside another one, measured in the same rounds.
 *
 * @param own the contender
 * @param beside the other one
 * @param calls its calls per second are to be at least so many times those of the other
 * @param p99 its slowest hundredth of calls is to take at most so many times that of the
 * other, {@link Double#NaN} if nothing is said about it
 */
record Goal(String own, String beside, double calls, double p99) {

	static Goal of(String own, String beside, double calls) {
		return new Goal(own, beside, calls, Double.NaN);
	}

	boolean isReachedBy(double calls, double p99) {
		return calls >= this.calls && (Double.isNaN(this.p99) || p99 <= this.p99);
	}

}
