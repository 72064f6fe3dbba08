// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/**
 * Effective settings of a breaker. Rates are percent; a slow-call rate of 0 is none.
 */
record BreakerSettings(String name, int failureRate, int slowCallRate, @Nullable Duration slowAfter, Duration window,
		int minimumCalls, Duration openFor, Duration maxOpenFor, int probes, Duration probeLease, boolean shadow) {

	private static final int ALL = 100;

	private static final int LEAST_CALLS = 3;

	BreakerSettings {
		Assert.isTrue(failureRate >= 1 && failureRate <= ALL,
				() -> "the failure rate is " + failureRate + ", and must be between 1 and 100 percent.");
		Assert.isTrue(slowCallRate >= 0 && slowCallRate <= ALL,
				() -> "the slow-call rate is " + slowCallRate + ", and must be between 1 and 100 percent.");
		Assert.isTrue((slowCallRate == 0) == (slowAfter == null),
				"slow-call rate and slow-after have no effect without each other.");
		Assert.isTrue(minimumCalls >= LEAST_CALLS,
				() -> "minimum calls are " + minimumCalls + ", and must be at least " + LEAST_CALLS + ".");
		Assert.isTrue(window.compareTo(Duration.ofSeconds(1)) >= 0,
				() -> "the window is " + window + ", and must be at least 1s.");
		Assert.isTrue(openFor.toMillis() > 0 && maxOpenFor.compareTo(openFor) >= 0, () -> "open-for is " + openFor
				+ ", and must be above zero and at most max-open-for, " + maxOpenFor + ".");
	}

	boolean isReached(CircuitWindow.Sums sums, int percentOfThreshold) {
		return isReached(sums.failures(), this.failureRate, sums.calls(), percentOfThreshold)
				|| isReached(sums.slow(), this.slowCallRate, sums.calls(), percentOfThreshold);
	}

	private static boolean isReached(long bad, int rate, long calls, int percentOfThreshold) {
		return rate > 0 && bad >= LEAST_CALLS && bad * ALL * ALL >= rate * calls * percentOfThreshold;
	}

}
