/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.List;

/**
 * Permits that came with one decision.
 */
final class LeaseBatch {

	private final Lease lease;

	private final RedisDecision decision;

	private final long until;

	/** Guarded by the lease, as all that changes. */
	long permits;

	boolean isOver;

	volatile boolean isDropped;

	LeaseBatch(Lease lease, RedisDecision decision) {
		this.lease = lease;
		this.decision = decision;
		this.until = decision.extraUsableUntil();
		this.permits = decision.extra();
	}

	boolean isUsable(List<PermitRequest> requests, long now) {
		return now - this.until < 0 && this.decision.isFor(requests);
	}

	long used() {
		return this.decision.extra() - this.permits;
	}

	RedisDecision decision() {
		return this.decision;
	}

	long until() {
		return this.until;
	}

	/**
	 * Returns what is left once the batch is over.
	 */
	long leftover() {
		return this.permits;
	}

	boolean putBack(long permits, long now) {
		return this.lease.putBack(this, permits, now);
	}

	boolean isDropped() {
		return this.isDropped;
	}

}
