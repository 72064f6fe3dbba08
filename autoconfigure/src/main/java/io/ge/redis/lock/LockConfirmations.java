/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;

/**
 * Has replicas confirm tenures before their first sections begin, for callers that want
 * it. A tenure is confirmed, not a section: whoever follows in it is let in at once.
 * <p>
 * Invariant: a tenure that is being confirmed has no section. The caller for whom it is
 * stays the first of those who wait, so that giving up needs nothing of its own: if it
 * leaves, its successor takes advantage of the confirmation; if nobody is left, or the
 * application is closed, or the tenure is lost, that is settled at once, and what comes
 * of the confirmation finds another state and changes nothing. What is sent extends the
 * lease and creates nothing, so it may arrive after the release.
 */
final class LockConfirmations {

	private final LocalLocks locals;

	private final LockQueues queues;

	private final LockEngine engine;

	private final RedisLocks redis;

	LockConfirmations(LocalLocks locals, LockQueues queues, LockEngine engine, RedisLocks redis) {
		this.locals = locals;
		this.queues = queues;
		this.engine = engine;
		this.redis = redis;
	}

	// While deciding

	/**
	 * Has a tenure confirmed, and then lets the first waiter in.
	 */
	void begin(LocalLock local, Tenure tenure, LockAttempt first, Actions then) {
		local.confirming = first;
		then.add(() -> send(local, tenure, first));
	}

	/**
	 * Makes whoever is waited for one who waits like others.
	 */
	void forget(LocalLock local) {
		LockAttempt former = local.confirming;
		local.confirming = null;
		if (former != null && !former.left) {
			this.queues.waitUntilTimeout(former);
		}
	}

	// Answers

	private void send(LocalLock local, Tenure tenure, LockAttempt first) {
		long sent = System.nanoTime();
		LeaseRenewal renewal = tenure.renewal(sent);
		this.redis.confirm(renewal, first.settings).whenComplete((done, failure) -> {
			if (failure != null) {
				this.engine.run(() -> failed(local, tenure, first, failure));
				return;
			}
			tenure.renewed(sent, renewal.lease(), true);
			confirmed(local, tenure, first);
		});
	}

	private void confirmed(LocalLock local, Tenure tenure, LockAttempt first) {
		this.locals.decide((then) -> {
			if (isAwaited(local, tenure, then)) {
				local.confirming = null;
				tenure.confirmed(first.settings.replicas());
				LockAttempt next = local.waiters.peekFirst();
				if (next != null && (next == first || tenure.canServe(next))) {
					this.queues.letFirstIn(local, tenure, then);
				}
				else {
					this.queues.release(local, tenure, then);
				}
			}
		});
	}

	/**
	 * Gives up what replicas do not know well enough. Those who wait here and want as
	 * much fail together: trying for one after the other would cost each of them the
	 * timeouts of those before.
	 */
	private void failed(LocalLock local, Tenure tenure, LockAttempt first, Throwable failure) {
		this.locals.decide((then) -> {
			if (isAwaited(local, tenure, then)) {
				Actions told = new Actions();
				for (LockAttempt attempt : List.copyOf(local.waiters)) {
					if (attempt.settings.isAsDurableAs(first.settings)) {
						this.queues.fail(local, attempt, failure, told);
					}
				}
				this.queues.release(local, tenure, then);
				then.add(told::run);
			}
		});
	}

	private boolean isAwaited(LocalLock local, Tenure tenure, Actions then) {
		if (local.tenure == tenure && local.confirming != null) {
			return true;
		}
		if (local.tenure != tenure && tenure.isValid()) {
			// A caller that did not wait has the lock, so Redis had lost it meanwhile
			then.add(() -> this.queues.drop(tenure));
		}
		return false;
	}

}
