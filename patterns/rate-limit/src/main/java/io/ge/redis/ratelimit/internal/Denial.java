// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;

/**
 * A refusal by Redis. Times are on the clock of {@link System#nanoTime()}.
 *
 * @param until the earliest time at which Redis could admit
 * @param latest the latest time at which Redis could admit
 */
record Denial(PermitRequest request, long remaining, long sentAt, long until, long latest, long restoredAt) {

	/** Drift of clocks as a shift: a thousandth. */
	private static final int DRIFT = 10;

	Denial(RedisDecision decision, int index) {
		this(decision.requests().get(index), decision.left(index), decision.sentAt(),
				decision.sentAt() + decision.waitNanos(index) - (decision.waitNanos(index) >> DRIFT),
				decision.receivedAt() + decision.waitNanos(index),
				decision.receivedAt() + decision.restoredNanos(index));
	}

	RedisLimitKey key() {
		return this.request.key();
	}

	boolean appliesTo(PermitRequest request, long now) {
		if (key() != request.key() && !key().equals(request.key())) {
			return false;
		}
		RateLimit limit = request.limit();
		if (limit != this.request.limit() && !limit.equals(this.request.limit())) {
			return false;
		}
		if (request.cost() != this.request.cost() && limit.algorithm() != RateLimitAlgorithm.TOKEN_BUCKET) {
			return false;
		}
		return this.until + shift(request) - now > 0;
	}

	boolean isReplacedBy(Denial other) {
		return key().equals(other.key()) && (this.request.cost() == other.request.cost()
				|| this.request.limit().algorithm() == RateLimitAlgorithm.TOKEN_BUCKET);
	}

	private long shift(PermitRequest request) {
		return (request.cost() == this.request.cost()) ? 0
				: (request.cost() - this.request.cost()) * this.request.limit().intervalMicros() * 1000;
	}

	/**
	 * Returns the longest time until Redis would no longer refuse a request.
	 */
	long waitNanos(PermitRequest request, long now) {
		return Math.max(1, this.latest + shift(request) - now);
	}

	long restoredNanos(PermitRequest request, long now) {
		long restored = this.restoredAt - now;
		return (restored > 0) ? restored : waitNanos(request, now);
	}

}
