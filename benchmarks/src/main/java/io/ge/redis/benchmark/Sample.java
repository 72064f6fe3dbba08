// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

/**
 * What one turn of a contender gave.
 *
 * @param meanNanos time of a call
 * @param medianNanos half of the calls took no longer
 * @param p99Nanos 99 of 100 calls took no longer
 * @param bytes allocated per call in the whole JVM, the driver's threads included
 * @param threads the callers
 */
record Sample(double meanNanos, double medianNanos, double p99Nanos, double bytes, int threads) {

	/**
	 * Each caller calls again as soon as it has its answer.
	 */
	double callsPerSecond() {
		return this.threads * 1e9 / this.meanNanos;
	}

}
