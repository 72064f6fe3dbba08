// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;

import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Effective settings of a breaker. Rates are percent; a slow-call rate of 0 is none.
 */
record BreakerSettings(String name, int failureRate, int slowCallRate, @Nullable Duration slowAfter, Duration window,
		int minimumCalls, Duration openFor, Duration maxOpenFor, int probes, Duration probeLease, FailureRule rule,
		boolean shadow) {

	private static final int LEAST_CALLS = 3;

	BreakerSettings {
		requirePercent("failure-rate", 1, failureRate);
		requirePercent("slow-call-rate", 0, slowCallRate);
		Assert.isTrue((slowCallRate == 0) == (slowAfter == null),
				"slow-call-rate and slow-after have no effect without each other.");
		PropertyChecks.atLeastMillis("slow-after", 1, slowAfter);
		PropertyChecks.atLeastMillis("window", 1000, window);
		PropertyChecks.atLeast("minimum-calls", LEAST_CALLS, minimumCalls);
		PropertyChecks.atLeastMillis("open-for", 1, openFor);
		PropertyChecks.atLeastMillis("max-open-for", openFor.toMillis(), maxOpenFor);
		PropertyChecks.atLeast("probes", 1, probes);
		PropertyChecks.atLeastMillis("probe-lease", 1, probeLease);
	}

	private static void requirePercent(String setting, int least, int value) {
		PropertyChecks.require(value >= least && value <= 100, setting, "between 1 and 100 percent", value);
	}

	/**
	 * Returns whether a share of one of the rates is reached.
	 * @param least calls below which it is not
	 * @param divisor 1 for the rate, 2 for half of it
	 */
	boolean isReached(CircuitWindow.Sums sums, int least, int divisor) {
		return sums.calls() >= least && (isReached(sums.failures(), this.failureRate, sums.calls(), divisor)
				|| isReached(sums.slow(), this.slowCallRate, sums.calls(), divisor));
	}

	private static boolean isReached(long bad, int rate, long calls, int divisor) {
		return rate > 0 && bad >= LEAST_CALLS && bad * 100 * divisor >= rate * calls;
	}

}
