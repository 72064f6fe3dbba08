/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * One lock as this instance sees it, while it has the lock or wants it. Guarded by
 * {@link LocalLocks}.
 */
final class LocalLock {

	final RedisLockKey key;

	final Deque<LockAttempt> waiters = new ArrayDeque<>(2);

	/** While this instance has the lock. */
	@Nullable Tenure tenure;

	/** Whether the tenure lies between two sections. */
	boolean open;

	/**
	 * For whom the tenure is being confirmed by replicas, before its first section. Stays
	 * among the waiters until then.
	 */
	@Nullable LockAttempt confirming;

	/** Whether somebody is about to serve the first waiter. */
	boolean serving;

	/** While this instance wants the lock and does not have it. */
	@Nullable Candidacy candidacy;

	/** When the lock is free, if that was told last. */
	@Nullable Long freeAt;

	LocalLock(RedisLockKey key) {
		this.key = key;
	}

	/**
	 * Returns when the lock is free, if that is known.
	 */
	@Nullable Long freeAt() {
		return (this.tenure == null) ? this.freeAt : null;
	}

	boolean isIdle() {
		return this.waiters.isEmpty() && this.tenure == null && this.candidacy == null;
	}

}
