/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;

import io.ge.redis.lock.ShareAttempt.State;

/**
 * The callers of this instance that want or have shares of locks.
 * <p>
 * Unlike for a lock that one has alone, where the instance waits in Redis and serves its
 * callers itself ({@link LockQueues}), each caller stands in the queue in Redis under a
 * handle of its own: many may be let in at once, in an order that only Redis knows. A
 * caller asks at first, when messages may have been lost, and otherwise once a second or
 * when a share is said to end; at most one question of it is under way, and what is heard
 * meanwhile makes it ask again. It has its share by an answer; a message that it has been
 * given one makes it ask.
 * <p>
 * Invariant: a handle begins at most one tenure, and what Redis gives to it, or may have
 * given, after it is over here is given back, whatever order answers and messages come
 * in. What becomes of a share is in {@link HeldShares}.
 */
final class ShareQueue {

	private final ShareAttempts attempts;

	private final HeldShares held;

	private final LockEngine engine;

	private final RedisShares redis;

	private final UnderWay underWay;

	private boolean closed;

	ShareQueue(LockEngine engine, RedisShares redis, UnderWay underWay) {
		this.attempts = new ShareAttempts(underWay);
		this.held = new HeldShares(this.attempts, engine, redis, underWay);
		this.engine = engine;
		this.redis = redis;
		this.underWay = underWay;
	}

	int waiting() {
		return this.attempts.waiting();
	}

	List<LockReport.Queue> waiters() {
		return this.attempts.waiters();
	}

	/**
	 * Returns the shares that callers of this instance have.
	 */
	HeldShares held() {
		return this.held;
	}

	/**
	 * Asks for a share, and waits for it as the settings say.
	 */
	LockAttempt join(LockSettings settings, RedisLockKey key) {
		ShareAttempt attempt = new ShareAttempt(settings, key, this.redis.newBudget(), this.engine.newHandle(), this);
		this.attempts.decide((then) -> {
			if (this.closed) {
				attempt.state = State.OVER;
				then.add(() -> attempt.complete(attempt.refused()));
				return;
			}
			this.attempts.enter(attempt);
			ask(attempt, then);
		});
		return attempt;
	}

	private void ask(ShareAttempt attempt, Actions then) {
		LockEngine.cancel(attempt.backstop);
		attempt.asking = true;
		attempt.askAgain = false;
		then.add(() -> send(attempt));
	}

	private void askAnew(ShareAttempt attempt, Actions then) {
		if (attempt.asking) {
			attempt.askAgain = true;
			return;
		}
		attempt.budget = this.redis.newBudget();
		ask(attempt, then);
	}

	private void send(ShareAttempt attempt) {
		long sent = System.nanoTime();
		this.underWay.add(this.redis.ask(attempt).whenComplete((answer, failure) -> {
			if (failure != null) {
				fail(attempt, failure);
			}
			else if (answer.tokens() != null) {
				acquired(attempt, answer.tokens(), sent);
			}
			else {
				busy(attempt, answer);
			}
		}));
	}

	// Answers

	private void acquired(ShareAttempt attempt, TokenRange token, long sent) {
		this.attempts.decide((then) -> {
			attempt.asking = false;
			if (attempt.state == State.WAITING) {
				this.held.begin(attempt, token, sent, then);
			}
			else if (attempt.state == State.OVER) {
				then.add(() -> this.underWay
					.add(this.redis.giveBack(attempt.key, attempt.handle, attempt.settings.leaseTime())));
			}
		});
	}

	private void busy(ShareAttempt attempt, LockAnswer answer) {
		this.attempts.decide((then) -> {
			attempt.asking = false;
			if (attempt.state == State.OVER) {
				leaveQueue(attempt, then);
			}
			if (attempt.state != State.WAITING) {
				return;
			}
			if (attempt.isOverdue()) {
				refuse(attempt, then);
				return;
			}
			if (attempt.askAgain) {
				askAnew(attempt, then);
				return;
			}
			if (attempt.timeout == null) {
				attempt.timeout = this.engine.schedule(() -> expire(attempt), attempt.waitLeftNanos());
			}
			attempt.backstop = this.engine.schedule(() -> retry(attempt), Backstop.nanos(answer.leaseMillis()));
		});
	}

	private void retry(ShareAttempt attempt) {
		this.attempts.decide((then) -> {
			if (attempt.state == State.WAITING && !attempt.asking) {
				askAnew(attempt, then);
			}
		});
	}

	private void fail(ShareAttempt attempt, Throwable failure) {
		this.attempts.decide((then) -> {
			attempt.asking = false;
			if (attempt.state == State.WAITING) {
				this.attempts.depart(attempt, State.OVER);
			}
			leaveQueue(attempt, then);
			then.add(() -> attempt.completeExceptionally(LockEngine.cause(failure)));
		});
	}

	// Messages

	/**
	 * Takes the message that a handle has been given its share: asks whether it has.
	 */
	void granted(String handle, String key) {
		this.attempts.decide((then) -> {
			ShareAttempt attempt = this.attempts.find(handle);
			if (attempt == null) {
				then.add(() -> this.underWay.add(this.redis.leave(this.redis.key(key), handle)));
			}
			else if (attempt.state == State.WAITING) {
				askAnew(attempt, then);
			}
		});
	}

	/**
	 * Lets all that wait ask, since messages may have been lost.
	 */
	void askAll() {
		this.attempts.decide((then) -> {
			for (ShareAttempt attempt : this.attempts.all()) {
				if (attempt.state == State.WAITING) {
					askAnew(attempt, then);
				}
			}
		});
	}

	// Giving up

	/**
	 * The caller has given up. A question under way is followed up when it is answered.
	 */
	void leave(ShareAttempt attempt) {
		this.attempts.decide((then) -> {
			if (attempt.state == State.WAITING) {
				this.attempts.depart(attempt, State.OVER);
				if (!attempt.asking) {
					leaveQueue(attempt, then);
				}
			}
			else if (attempt.confirming && attempt.tenure != null) {
				this.held.abandon(attempt, attempt.tenure, then);
			}
		});
	}

	private void expire(ShareAttempt attempt) {
		this.attempts.decide((then) -> {
			// A question under way is bounded by its budget, and its answer must be known
			if (attempt.state == State.WAITING && !attempt.asking) {
				refuse(attempt, then);
			}
		});
	}

	private void refuse(ShareAttempt attempt, Actions then) {
		this.attempts.depart(attempt, State.OVER);
		if (!attempt.asking) {
			leaveQueue(attempt, then);
		}
		then.add(() -> attempt.complete(attempt.refused()));
	}

	private void leaveQueue(ShareAttempt attempt, Actions then) {
		then.add(() -> this.underWay.add(this.redis.leave(attempt)));
	}

	/**
	 * Ends all waiting; from now on nobody waits.
	 */
	void close() {
		this.attempts.decide((then) -> {
			this.closed = true;
			for (ShareAttempt attempt : this.attempts.all()) {
				if (attempt.state == State.WAITING) {
					refuse(attempt, then);
				}
				else if (attempt.confirming && attempt.tenure != null) {
					this.held.abandon(attempt, attempt.tenure, then);
					then.add(() -> attempt.complete(attempt.refused()));
				}
			}
		});
	}

	void open() {
		this.attempts.decide((then) -> this.closed = false);
	}

}
