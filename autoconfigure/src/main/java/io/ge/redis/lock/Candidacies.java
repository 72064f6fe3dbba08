/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.outage.CallBudget;

/**
 * The waiters of this instance as Redis knows them, and the replies and messages of Redis
 * to them.
 * <p>
 * Towards Redis the instance acts as one. While it does not have a lock and somebody
 * waits it is a {@link Candidacy}: it asks at first, when messages may have been lost,
 * and otherwise once a second or when the lease of the present owner ends; at most one
 * question is under way, and what is heard meanwhile makes it ask again, since the answer
 * may be older. When it gets the lock, by an answer, the first waiter has it; Redis knows
 * only the candidacy, so it does not matter who has asked. A message that the lock is
 * granted makes it ask, and gives it nothing: anybody may have sent it.
 * <p>
 * Invariant: what Redis gives to a handle either begins the one tenure of that handle or
 * is given back, whatever order answers and messages come in.
 */
final class Candidacies {

	/**
	 * The handles of tenures that were candidacies, until Redis has answered their
	 * release: what is still heard of them is no news.
	 */
	private final Set<String> inUse = ConcurrentHashMap.newKeySet();

	private final LocalLocks locals;

	private final LockQueues queues;

	private final LockEngine engine;

	private final RedisLocks redis;

	Candidacies(LocalLocks locals, LockQueues queues, LockEngine engine, RedisLocks redis) {
		this.locals = locals;
		this.queues = queues;
		this.engine = engine;
		this.redis = redis;
	}

	// Becoming a candidate, while deciding

	/**
	 * Asks for a lock that somebody waits for.
	 */
	void apply(LocalLock local, CallBudget budget, Actions then) {
		Candidacy candidacy = new Candidacy(this.engine.newHandle(), budget);
		local.candidacy = candidacy;
		ask(local, candidacy, then);
	}

	/**
	 * Asks for a lock that somebody waits for, since it was lost or nobody knows what
	 * became of the last question.
	 */
	void applyAgain(LocalLock local, Actions then) {
		apply(local, this.redis.newBudget(), then);
	}

	/**
	 * Makes the instance a candidate that asks by the release of its own tenure, whose
	 * outcome is told to {@link #followed}.
	 */
	Candidacy follow(LocalLock local) {
		Candidacy following = new Candidacy(this.engine.newHandle(), this.redis.newBudget());
		local.candidacy = following;
		return following;
	}

	/**
	 * Leaves the queue in Redis. A question under way is followed up when it is answered.
	 */
	void withdraw(LocalLock local) {
		Candidacy candidacy = local.candidacy;
		if (candidacy != null && !candidacy.asking) {
			LockEngine.cancel(candidacy.backstop);
			local.candidacy = null;
			this.engine.underWay(this.redis.leave(local.key, candidacy.handle));
		}
	}

	/**
	 * The release of a tenure is answered, or the tenure is lost.
	 */
	void forget(String handle) {
		this.inUse.remove(handle);
	}

	// Asking

	private void ask(LocalLock local, Candidacy candidacy, Actions then) {
		LockEngine.cancel(candidacy.backstop);
		candidacy.asking = true;
		candidacy.askAgain = false;
		Duration lease = local.waiters.getFirst().settings.leaseTime();
		then.add(() -> send(local, candidacy, lease));
	}

	private void askAnew(LocalLock local, Candidacy candidacy, Actions then) {
		if (candidacy.asking) {
			candidacy.askAgain = true;
			return;
		}
		if (local.waiters.isEmpty()) {
			this.queues.abandon(local, then);
			return;
		}
		candidacy.budget = this.redis.newBudget();
		ask(local, candidacy, then);
	}

	private void send(LocalLock local, Candidacy candidacy, Duration lease) {
		long sent = System.nanoTime();
		this.engine.underWay(this.redis.acquire(local.key, candidacy.handle, lease, true, candidacy.budget)
			.whenComplete((answer, failure) -> {
				if (failure != null) {
					// On another thread than the caller's, who waits for nobody
					// else
					this.engine.run(() -> fail(local, candidacy, failure));
				}
				else if (answer.tokens() != null) {
					acquired(local, candidacy, answer.tokens(), sent, lease);
				}
				else {
					busy(local, candidacy, answer);
				}
			}));
	}

	private void retry(LocalLock local, Candidacy candidacy) {
		this.locals.decide((then) -> {
			if (local.candidacy == candidacy && !candidacy.asking) {
				askAnew(local, candidacy, then);
			}
		});
	}

	// Answers

	/**
	 * Takes the answer that the lock is this instance's.
	 */
	private void acquired(LocalLock local, Candidacy candidacy, TokenRange tokens, long sent, Duration lease) {
		this.locals.decide((then) -> {
			if (local.candidacy == candidacy) {
				begin(local, candidacy, tokens, sent, lease, then);
			}
			else if (!this.inUse.contains(candidacy.handle)) {
				then.add(() -> this.engine.underWay(this.redis.giveBack(local.key, candidacy.handle, lease)));
			}
		});
	}

	private void begin(LocalLock local, Candidacy candidacy, TokenRange tokens, long since, Duration lease,
			Actions then) {
		LockEngine.cancel(candidacy.backstop);
		local.candidacy = null;
		LockAttempt first = local.waiters.peekFirst();
		if (first == null) {
			this.locals.forgetIfIdle(local);
			then.add(() -> this.engine.underWay(this.redis.giveBack(local.key, candidacy.handle, lease)));
			return;
		}
		first.budget = candidacy.budget;
		Tenure tenure = new Tenure(this.engine, local.key, candidacy.handle, tokens, first.settings, since, lease);
		this.inUse.add(tenure.handle);
		this.queues.begin(local, tenure, then);
	}

	/**
	 * Takes the answer that the lock is taken.
	 */
	private void busy(LocalLock local, Candidacy candidacy, LockAnswer answer) {
		this.locals.decide((then) -> {
			if (local.candidacy != candidacy) {
				return;
			}
			candidacy.asking = false;
			local.freeAt = answer.freeAt();
			if (!this.queues.waitOn(local, then)) {
				this.queues.abandon(local, then);
				return;
			}
			if (candidacy.askAgain) {
				askAnew(local, candidacy, then);
				return;
			}
			this.queues.waitUntilTimeout(local.waiters.getFirst());
			candidacy.backstop = this.engine.schedule(() -> retry(local, candidacy),
					Backstop.nanos(answer.leaseMillis()));
		});
	}

	private void fail(LocalLock local, Candidacy candidacy, Throwable failure) {
		this.locals.decide((then) -> {
			if (local.candidacy != candidacy) {
				return;
			}
			this.queues.failAll(local, failure, then);
			candidacy.asking = false;
			this.queues.abandon(local, then);
		});
	}

	/**
	 * Takes the answer to a release by which this instance goes on waiting.
	 * @param lease for how long it has the lock, if it has it again
	 * @param sent when the release was sent
	 * @param kept whether nobody may have the lock for now
	 */
	void followed(LocalLock local, Candidacy following, LockHandover handover, Duration lease, long sent,
			boolean kept) {
		if (handover.tokens() != null) {
			acquired(local, following, handover.tokens(), sent, lease);
		}
		else if (handover.elsewhere() && !kept) {
			busy(local, following, LockAnswer.busy(-1, false));
		}
		else {
			askFor(local, following);
		}
	}

	/**
	 * Asks for a candidacy that no release has asked for.
	 */
	void askFor(LocalLock local, Candidacy candidacy) {
		this.locals.decide((then) -> {
			if (local.candidacy == candidacy) {
				candidacy.asking = false;
				askAnew(local, candidacy, then);
			}
		});
	}

	/**
	 * Asks with another handle, since nobody knows what became of the first one.
	 */
	void replace(LocalLock local, Candidacy unknown) {
		this.locals.decide((then) -> {
			if (local.candidacy == unknown) {
				local.candidacy = null;
				if (local.waiters.isEmpty()) {
					this.locals.forgetIfIdle(local);
				}
				else {
					applyAgain(local, then);
				}
			}
		});
	}

	// Messages

	/**
	 * Takes the message that the lock is this instance's: asks whether it is, or hands it
	 * on if nobody waits for it any more.
	 */
	void granted(String handle, RedisLockKey key) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(key);
			if (local != null && local.candidacy != null && local.candidacy.handle.equals(handle)) {
				askAnew(local, local.candidacy, then);
			}
			else if (!this.inUse.contains(handle)
					&& (local == null || local.tenure == null || !local.tenure.handle.equals(handle))) {
				then.add(() -> this.engine.underWay(this.redis.refuse(key, handle)));
			}
		});
	}

	/**
	 * Takes the message that the lock was this instance's turn and is free, since it
	 * could not be granted.
	 */
	void offered(RedisLockKey key) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(key);
			if (local != null && local.candidacy != null) {
				askAnew(local, local.candidacy, then);
			}
		});
	}

	/**
	 * Lets all candidacies ask, since messages may have been lost.
	 */
	void askAll() {
		this.locals.decide((then) -> {
			for (LocalLock local : this.locals.all()) {
				if (local.candidacy != null) {
					askAnew(local, local.candidacy, then);
				}
			}
		});
	}

}
