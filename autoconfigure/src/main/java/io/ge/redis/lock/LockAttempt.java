/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock. Whoever cancels it gets no lock: what arrives later is
 * released at once.
 */
class LockAttempt extends CompletableFuture<LockDecision> {

	final LockSettings settings;

	final RedisLockKey key;

	private final long started = System.nanoTime();

	/** Bounds the command under way, and later the release. */
	volatile CallBudget budget;

	/** When the lock is free, if that is known. */
	volatile @Nullable Long freeAt;

	/** Where it waits, if it does. */
	volatile @Nullable LockQueues queues;

	// Guarded by LocalLocks
	boolean left;

	@Nullable Future<?> timeout;

	LockAttempt(LockSettings settings, RedisLockKey key, CallBudget budget) {
		this.settings = settings;
		this.key = key;
		this.budget = budget;
	}

	boolean isOverdue() {
		return waitLeftNanos() <= 0;
	}

	long waitLeftNanos() {
		return this.settings.waitTime().toNanos() - (System.nanoTime() - this.started);
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		LockQueues joined = this.queues;
		if (cancelled && joined != null) {
			joined.leave(this);
		}
		return cancelled;
	}

	LockDecision refused() {
		Long end = this.freeAt;
		return new LockDecision.Refused((end != null) ? Duration.ofNanos(Math.max(0, end - System.nanoTime())) : null);
	}

}
