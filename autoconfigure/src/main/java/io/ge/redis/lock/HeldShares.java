/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;

import io.ge.redis.lock.ShareAttempt.State;
import org.jspecify.annotations.Nullable;

/**
 * The shares of locks that callers of this instance have: from what Redis has given, over
 * the confirmation by replicas where that is wanted, to what is given up.
 */
final class HeldShares {

	private final ShareAttempts attempts;

	private final LockEngine engine;

	private final RedisShares redis;

	private final UnderWay underWay;

	HeldShares(ShareAttempts attempts, LockEngine engine, RedisShares redis, UnderWay underWay) {
		this.attempts = attempts;
		this.engine = engine;
		this.redis = redis;
		this.underWay = underWay;
	}

	/**
	 * Begins the tenure of a caller that waits.
	 */
	void begin(ShareAttempt attempt, TokenRange token, long since, Actions then) {
		this.attempts.depart(attempt, State.HELD);
		Tenure tenure = new Tenure(this.engine, attempt.key, attempt.handle, token, attempt.settings, since,
				attempt.settings.leaseTime());
		attempt.tenure = tenure;
		tenure.start();
		if (attempt.settings.replicas() == 0) {
			enter(attempt, tenure, then);
		}
		else {
			attempt.confirming = true;
			then.add(() -> confirm(attempt, tenure));
		}
	}

	private void enter(ShareAttempt attempt, Tenure tenure, Actions then) {
		HeldLock section = tenure.enter(attempt);
		then.add(() -> {
			tenure.tellIfLost(section);
			if (!attempt.complete(new LockDecision.Acquired(section))) {
				section.giveBack();
			}
		});
	}

	/**
	 * Has replicas confirm the share, for which the caller waits whatever its wait time:
	 * the timeout of the replicas bounds it. What is sent extends the lease and creates
	 * nothing, so it may arrive after the release.
	 */
	private void confirm(ShareAttempt attempt, Tenure tenure) {
		long sent = System.nanoTime();
		LeaseRenewal renewal = tenure.renewal(sent);
		this.underWay.add(this.redis.confirm(renewal, attempt.settings).whenComplete((done, failure) -> {
			if (failure == null) {
				tenure.renewed(sent, renewal.lease(), true);
			}
			this.attempts.decide((then) -> confirmed(attempt, tenure, failure, then));
		}));
	}

	private void confirmed(ShareAttempt attempt, Tenure tenure, @Nullable Throwable failure, Actions then) {
		if (!attempt.confirming) {
			return; // lost or given up meanwhile, and seen to
		}
		if (failure == null) {
			attempt.confirming = false;
			enter(attempt, tenure, then);
		}
		else {
			abandon(attempt, tenure, then);
			then.add(() -> attempt.completeExceptionally(LockEngine.cause(failure)));
		}
	}

	/**
	 * Gives up a share that is being confirmed.
	 */
	void abandon(ShareAttempt attempt, Tenure tenure, Actions then) {
		attempt.confirming = false;
		this.attempts.forget(attempt);
		then.add(() -> {
			if (tenure.end() != Tenure.State.GONE) {
				this.underWay.add(this.redis.giveBack(tenure.key, tenure.handle, tenure.leaseTime()));
			}
		});
	}

	/**
	 * An operator has taken a share away that has no section yet.
	 */
	void takenAway(String handle) {
		this.attempts.decide((then) -> {
			ShareAttempt attempt = this.attempts.find(handle);
			if (attempt != null && attempt.tenure != null) {
				then.add(attempt.tenure::takenAway);
			}
		});
	}

	/**
	 * Gives a share up in Redis.
	 */
	void ended(HeldLock section) {
		Tenure tenure = section.tenure;
		Tenure.State before = tenure.end();
		if (before == Tenure.State.HELD) {
			Duration keep = section.keep();
			this.underWay.add(this.redis.release(tenure.key, tenure.handle, keep, section.budget)
				.whenComplete((mine, failure) -> {
					if (failure != null) {
						this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), keep);
					}
					lost(tenure);
					this.engine.released(section, failure != null || mine);
				}));
			return;
		}
		lost(tenure);
		if (before == Tenure.State.EXPIRED) {
			this.redis.releaseEventually(tenure.key, tenure.handle, tenure.leaseTime(), Duration.ZERO);
		}
		this.engine.lostSection(section, before.cause());
		this.engine.released(section, true);
	}

	/**
	 * Goes on without a share that is lost or given up.
	 */
	void lost(Tenure tenure) {
		this.attempts.decide((then) -> {
			ShareAttempt attempt = this.attempts.find(tenure.handle);
			if (attempt != null && attempt.confirming) {
				abandon(attempt, tenure, then);
				then.add(() -> attempt.complete(attempt.refused()));
			}
			else if (attempt != null) {
				this.attempts.forget(attempt);
			}
		});
	}

}
