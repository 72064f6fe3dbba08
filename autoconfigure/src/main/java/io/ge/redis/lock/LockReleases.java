/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * How tenures end in Redis, outside the decisions that end them here.
 * <p>
 * Invariant: a tenure is given up once, its last section is told once that it is over,
 * and only after Redis has answered or the budget is spent; what Redis may not have heard
 * it is told again until it answers.
 */
final class LockReleases {

	private final Candidacies candidacies;

	private final LockEngine engine;

	private final RedisLocks redis;

	LockReleases(Candidacies candidacies, LockEngine engine, RedisLocks redis) {
		this.candidacies = candidacies;
		this.engine = engine;
		this.redis = redis;
	}

	/**
	 * Gives a lock up for which nobody waits here.
	 * @param section the section that ends with it; {@code null} if the tenure is between
	 * two
	 */
	void release(Tenure tenure, @Nullable HeldLock section) {
		Tenure.State before = tenure.end();
		if (before == Tenure.State.HELD) {
			Duration keep = keep(section);
			this.engine
				.underWay(this.redis.release(tenure.key, tenure.handle, null, Duration.ZERO, keep, budget(section))
					.whenComplete((handover, failure) -> {
						if (failure != null) {
							this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), keep);
						}
						over(tenure, section, failure != null || handover.mine());
					}));
			return;
		}
		releaseLost(tenure, section, before);
	}

	/**
	 * Gives a lock up and goes on waiting for it, behind the others.
	 * @param following under what it waits
	 * @param lease the lease for that
	 */
	void release(Tenure tenure, @Nullable HeldLock section, LocalLock local, Candidacy following, Duration lease) {
		Tenure.State before = tenure.end();
		if (before != Tenure.State.HELD) {
			releaseLost(tenure, section, before);
			this.candidacies.askFor(local, following);
			return;
		}
		long sent = System.nanoTime();
		Duration keep = keep(section);
		this.engine
			.underWay(this.redis.release(tenure.key, tenure.handle, following.handle, lease, keep, budget(section))
				.whenComplete((handover, failure) -> {
					if (failure != null) {
						this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), keep);
						this.redis.releaseEventually(tenure.key, following.handle, lease, Duration.ZERO);
					}
					over(tenure, section, failure != null || handover.mine());
					if (failure != null) {
						this.candidacies.replace(local, following);
					}
					else {
						this.candidacies.followed(local, following, handover, lease, sent, !keep.isZero());
					}
				}));
	}

	private void releaseLost(Tenure tenure, @Nullable HeldLock section, Tenure.State before) {
		if (before == Tenure.State.EXPIRED) {
			this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), Duration.ZERO);
		}
		if (section != null) {
			this.engine.lostSection(section, before.cause());
		}
		over(tenure, section, true);
	}

	private void over(Tenure tenure, @Nullable HeldLock section, boolean wasMine) {
		this.candidacies.forget(tenure.handle);
		this.engine.released(section, wasMine);
	}

	private static Duration keep(@Nullable HeldLock section) {
		return (section != null) ? section.keep() : Duration.ZERO;
	}

	private CallBudget budget(@Nullable HeldLock section) {
		return (section != null) ? section.budget : this.redis.newBudget();
	}

}
