/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;

/**
 * Permits that came with one answer.
 */
final class LeaseBatch {

	private final Lease lease;

	private final RedisAnswer answer;

	private final long until;

	/** Guarded by the lease, as all that changes. */
	long permits;

	boolean isOver;

	volatile boolean isDropped;

	LeaseBatch(Lease lease, RedisAnswer answer) {
		this.lease = lease;
		this.answer = answer;
		this.until = answer.extraUsableUntil();
		this.permits = answer.extra();
	}

	boolean isUsable(List<Demand> demands, long now) {
		return now - this.until < 0 && this.answer.isFor(demands);
	}

	long used() {
		return this.answer.extra() - this.permits;
	}

	RedisAnswer answer() {
		return this.answer;
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
