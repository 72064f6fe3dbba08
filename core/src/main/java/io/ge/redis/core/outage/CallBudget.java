// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The total time that one guarded call may wait for Redis, over all its commands. Time
 * spent in the guarded method does not count.
 */
public final class CallBudget {

	private final long total;

	private final AtomicLong remaining;

	private CallBudget(long nanos) {
		this.total = nanos;
		this.remaining = new AtomicLong(nanos);
	}

	public static CallBudget of(Duration total) {
		return new CallBudget(total.toNanos());
	}

	/**
	 * Returns the remaining time.
	 * @return nanoseconds, zero or less if none remains
	 */
	public long remainingNanos() {
		return this.remaining.get();
	}

	public long spentNanos() {
		return this.total - this.remaining.get();
	}

	public void spend(long nanos) {
		this.remaining.addAndGet(-nanos);
	}

}
