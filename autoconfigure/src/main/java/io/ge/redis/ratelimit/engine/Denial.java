/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;

/**
 * A refusal by Redis.
 */
final class Denial {

	/** As a shift: a thousandth. */
	private static final int DRIFT = 10;

	private final RedisLimitKey key;

	private final PermitRequest request;

	private final long remaining;

	private final long sentAt;

	private final long until;

	private final long latest;

	private final long restoredAt;

	/**
	 * Creates a denial.
	 * @param decision what Redis said
	 * @param index which of its requests was refused
	 */
	Denial(RedisDecision decision, int index) {
		long wait = decision.waitNanos(index);
		this.key = decision.key(index);
		this.request = decision.requests().get(index);
		this.remaining = decision.left(index);
		this.sentAt = decision.sentAt();
		this.until = this.sentAt + wait - (wait >> DRIFT);
		this.latest = decision.receivedAt() + wait;
		this.restoredAt = decision.receivedAt() + decision.restoredNanos(index);
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

	boolean appliesTo(RedisLimitKey key, PermitRequest request, long now) {
		if (this.key != key && !this.key.equals(key)) {
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
		return this.key.equals(other.key) && (this.request.cost() == other.request.cost()
				|| this.request.limit().algorithm() == RateLimitAlgorithm.TOKEN_BUCKET);
	}

	private long shift(PermitRequest request) {
		return (request.cost() == this.request.cost()) ? 0
				: (request.cost() - this.request.cost()) * this.request.limit().intervalMicros() * 1000;
	}

	/**
	 * Returns where the limit stands.
	 */
	LimitState state(PermitRequest request, long now) {
		long wait = Math.max(1, this.latest + shift(request) - now);
		long restored = this.restoredAt - now;
		return new LimitState(request, this.remaining, (restored > 0) ? restored : wait, wait);
	}

}
