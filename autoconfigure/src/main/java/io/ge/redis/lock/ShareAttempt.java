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

	/** Whether replicas are asked to confirm its share, before its section begins. */
	boolean confirming;

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

		/** Wants none any more: whatever is still heard of a share is given back. */
		OVER

	}

}
