/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock.engine;

import java.time.Duration;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The end of leases in Redis, outside the decisions that end them here.
 * <p>
 * Invariant: a lease is given up once. Its last section is completed once, and only after
 * Redis has answered or the budget is spent. A release that Redis may not have received
 * is repeated until it answers.
 */
final class LockReleases {

	private final LocalLocks locals;

	private final QueuedWaiters queued;

	private final LockLeases leases;

	LockReleases(LocalLocks locals, QueuedWaiters queued, LockLeases leases) {
		this.locals = locals;
		this.queued = queued;
		this.leases = leases;
	}

	/**
	 * Gives a lock up for which nobody waits here.
	 * @param section the section that ends with it; {@code null} if the lease is between
	 * two
	 */
	void release(LockLease lease, @Nullable HeldLock section) {
		release(lease, section, null);
	}

	/**
	 * Gives a lock up and may go on waiting for it, behind the others.
	 * @param next for whom, if anybody
	 */
	void release(LockLease lease, @Nullable HeldLock section, @Nullable Next next) {
		LockLease.State before = lease.end();
		if (before != LockLease.State.HELD) {
			releaseLost(lease, section, before);
			if (next != null) {
				this.queued.askFor(next.local, next.queued);
			}
			return;
		}
		long sent = System.nanoTime();
		Duration keep = (section != null) ? section.keep() : Duration.ZERO;
		CallBudget budget = (section != null) ? section.budget : lease.redis.newBudget();
		this.locals.track(lease.redis
			.release(lease.key, lease.handle, (next != null) ? next.queued.handle : null,
					(next != null) ? next.wanted.leaseTime() : Duration.ZERO, keep, budget)
			.whenComplete((released, failure) -> {
				if (failure != null) {
					lease.redis.releaseEventually(lease.key, lease.handle, lease.leaseTime(), keep);
					if (next != null) {
						lease.redis.releaseEventually(lease.key, next.queued.handle, next.wanted.leaseTime(),
								Duration.ZERO);
					}
				}
				over(lease, section, failure != null || released.mine());
				if (next != null && failure != null) {
					this.queued.replace(next.local, next.queued);
				}
				else if (next != null) {
					this.queued.followed(next.local, next.queued, released, next.wanted, sent, !keep.isZero());
				}
			}));
	}

	private void releaseLost(LockLease lease, @Nullable HeldLock section, LockLease.State before) {
		if (before == LockLease.State.EXPIRED) {
			lease.redis.releaseEventually(lease.key, lease.handle, lease.leaseTime(), Duration.ZERO);
		}
		if (section != null) {
			this.leases.lostSection(section, before.cause());
		}
		over(lease, section, true);
	}

	private void over(LockLease lease, @Nullable HeldLock section, boolean wasMine) {
		this.locals.forget(lease.handle);
		this.leases.released(section, wasMine);
	}

	/**
	 * Waits for the lock from its release on.
	 *
	 * @param local the lock
	 * @param queued this instance as a waiter
	 * @param wanted what its first caller wants
	 */
	record Next(LocalLock local, QueuedWaiter queued, LockSettings wanted) {
	}

}
