/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.concurrent.Future;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a share of a lock. Redis knows it by its handle, while it waits and
 * while it holds: see {@link ShareQueue}, which guards what can change.
 */
final class ShareAttempt extends LockAttempt {

	final String handle;

	private final ShareQueue queue;

	State state = State.WAITING;

	/** Whether a question is under way. */
	boolean asking;

	/** Whether the answer that is under way may be older than what has been heard. */
	boolean askAgain;

	/**
	 * Whether a question was answered while the share was being given up, and may have
	 * come to Redis after that.
	 */
	boolean leaves;

	/** Whether replicas are asked to confirm its share, before its section begins. */
	boolean confirming;

	/**
	 * The last time, by the clock of the server, at which the lock was somebody else's. A
	 * message about a grant from before has a lower token: whoever stood still while that
	 * grant ended hears of it only now.
	 */
	long takenAt;

	/** When the last question was sent that was answered with no, or the first one. */
	long absentSince = System.nanoTime();

	@Nullable Future<?> backstop;

	/** Since it has its share. */
	@Nullable Tenure tenure;

	ShareAttempt(LockSettings settings, RedisLockKey key, CallBudget budget, String handle, ShareQueue queue) {
		super(settings, key, budget);
		this.handle = handle;
		this.queue = queue;
	}

	/**
	 * Returns whether it stands in the queue while it is not served.
	 */
	boolean waits() {
		return !this.settings.waitTime().isZero();
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		if (cancelled) {
			this.queue.leave(this);
		}
		return cancelled;
	}

	enum State {

		/** Wants a share. */
		WAITING,

		/** Has one. */
		HELD,

		/** Gives its share up; until Redis has answered nothing else does. */
		RELEASING,

		/** Wants none any more: whatever is still heard of a share is given back. */
		OVER

	}

}
