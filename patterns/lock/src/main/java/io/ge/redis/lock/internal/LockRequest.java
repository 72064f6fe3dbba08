// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock. A cancelled request gets no lock: one that is granted to it
 * later is released at once.
 */
final class LockRequest extends CompletableFuture<LockDecision> {

	final LockSettings settings;

	final RedisLockKey key;

	private final long started = System.nanoTime();

	/** Bounds the command under way, and later the release. */
	volatile CallBudget budget;

	/** Time at which the lock is free, if that is known. */
	volatile @Nullable Long freeAt;

	/** Takes it out of the queue in which it waits, if it does. */
	volatile @Nullable Runnable onCancel;

	// Guarded by LocalLocks
	boolean left;

	@Nullable Future<?> timeout;

	LockRequest(LockSettings settings, RedisLockKey key, CallBudget budget) {
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
		Runnable leave = this.onCancel;
		if (cancelled && leave != null) {
			leave.run();
		}
		return cancelled;
	}

	void refuse() {
		Long end = this.freeAt;
		complete(new LockDecision.Refused(
				(end != null) ? Duration.ofNanos(Math.max(0, end - System.nanoTime())) : null));
	}

}
