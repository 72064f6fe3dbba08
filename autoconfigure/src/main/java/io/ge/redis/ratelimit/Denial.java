/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

/**
 * A refusal by Redis.
 */
final class Denial {

	/** As a shift: a thousandth. */
	private static final int DRIFT = 10;

	private final RedisLimitKey key;

	private final Demand demand;

	private final long remaining;

	private final long sentAt;

	private final long until;

	private final long latest;

	private final long restoredAt;

	/**
	 * Creates a denial.
	 * @param answer what Redis said
	 * @param index which of its demands was refused
	 */
	Denial(RedisAnswer answer, int index) {
		long wait = answer.waitNanos(index);
		this.key = answer.key(index);
		this.demand = answer.demands().get(index);
		this.remaining = answer.left(index);
		this.sentAt = answer.sentAt();
		this.until = this.sentAt + wait - (wait >> DRIFT);
		this.latest = answer.receivedAt() + wait;
		this.restoredAt = answer.receivedAt() + answer.restoredNanos(index);
	}

	RedisLimitKey key() {
		return this.key;
	}

	long sentAt() {
		return this.sentAt;
	}

	long until() {
		return this.until;
	}

	boolean answers(RedisLimitKey key, Demand demand, long now) {
		if (this.key != key && !this.key.equals(key)) {
			return false;
		}
		RateLimit limit = demand.limit();
		if (limit != this.demand.limit() && !limit.equals(this.demand.limit())) {
			return false;
		}
		if (demand.cost() != this.demand.cost() && limit.algorithm() != RateLimitAlgorithm.TOKEN_BUCKET) {
			return false;
		}
		return this.until + shift(demand) - now > 0;
	}

	boolean isReplacedBy(Denial other) {
		return this.key.equals(other.key) && (this.demand.cost() == other.demand.cost()
				|| this.demand.limit().algorithm() == RateLimitAlgorithm.TOKEN_BUCKET);
	}

	private long shift(Demand demand) {
		return (demand.cost() == this.demand.cost()) ? 0
				: (demand.cost() - this.demand.cost()) * this.demand.limit().intervalMicros() * 1000;
	}

	/**
	 * Returns where the limit stands.
	 */
	Standing standing(Demand demand, long now) {
		long wait = Math.max(1, this.latest + shift(demand) - now);
		long restored = this.restoredAt - now;
		return new Standing(demand, this.remaining, (restored > 0) ? restored : wait, wait);
	}

}
