/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A lock in the hands of one caller, from its acquisition until it is given up: one
 * section of a {@link Tenure}, which knows whether the lock is still this instance's.
 */
final class HeldLock implements LockHandle {

	final Tenure tenure;

	final CallBudget budget;

	private final LockEngine engine;

	private final LockSettings settings;

	private final long token;

	private final long acquiredAt = System.nanoTime();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final AtomicBoolean lossTold = new AtomicBoolean();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private final Lock workerLock = new ReentrantLock();

	/** Who is interrupted when the lock is lost; guarded by the lock of that name. */
	private @Nullable Thread worker;

	private boolean interrupted;

	private volatile boolean transactional;

	HeldLock(LockEngine engine, Tenure tenure, LockAttempt attempt, long token) {
		this.engine = engine;
		this.tenure = tenure;
		this.settings = attempt.settings;
		this.budget = attempt.budget;
		this.token = token;
	}

	/**
	 * Makes {@link #close()} wait for the transaction that is active on this thread.
	 */
	HeldLock bindToTransaction() {
		this.transactional = LockTransactions.isActive();
		if (this.transactional) {
			LockTransactions.beforeCommit(this::assertMayCommit);
		}
		return this;
	}

	/**
	 * Vetoes a commit if the lock is lost and its policy says so.
	 * @throws LockLostException if the transaction must not be committed
	 */
	void assertMayCommit() {
		if (this.settings.onLost() != OnLost.EVENT && !this.ended.get()) {
			assertHeld();
		}
	}

	/**
	 * Begins to work on this thread.
	 */
	void beginWork() {
		if (this.settings.onLost() == OnLost.INTERRUPT) {
			this.workerLock.lock();
			try {
				this.worker = Thread.currentThread();
			}
			finally {
				this.workerLock.unlock();
			}
		}
	}

	/**
	 * Has ended the work of this thread, which is not interrupted any more.
	 */
	void endWork() {
		if (this.settings.onLost() == OnLost.INTERRUPT) {
			this.workerLock.lock();
			try {
				this.worker = null;
				if (this.interrupted) {
					Thread.interrupted();
				}
			}
			finally {
				this.workerLock.unlock();
			}
		}
	}

	/**
	 * Interrupts whoever works under the lock, which is lost.
	 */
	void interruptWorker() {
		this.workerLock.lock();
		try {
			if (this.worker != null) {
				this.interrupted = true;
				this.worker.interrupt();
			}
		}
		finally {
			this.workerLock.unlock();
		}
	}

	/**
	 * Returns for how long nobody may have the lock if it is given up now.
	 */
	Duration keep() {
		Duration least = this.settings.atLeastFor();
		if (least.isZero()) {
			return Duration.ZERO;
		}
		long left = least.toMillis() - (System.nanoTime() - this.acquiredAt) / 1_000_000;
		return Duration.ofMillis(Math.max(0, left));
	}

	@Override
	public void close() {
		if (this.transactional && !this.ended.get() && LockTransactions.afterCompletion(this::releaseAndWait)) {
			return;
		}
		releaseAndWait();
	}

	private void releaseAndWait() {
		LockContext.forget(this);
		CompletableFuture<Void> done = release();
		if (!done.isDone()) {
			Waiting.await(done);
		}
	}

	/**
	 * Gives up the lock.
	 * @return completes, never exceptionally, when another caller of this instance may
	 * have it, Redis has answered, or the budget is spent
	 */
	CompletableFuture<Void> release() {
		if (this.ended.compareAndSet(false, true)) {
			this.engine.finished(this, Duration.ofNanos(System.nanoTime() - this.acquiredAt));
		}
		return this.released;
	}

	/**
	 * Tells whoever waits for the release.
	 */
	void completeRelease() {
		this.released.complete(null);
	}

	/**
	 * Returns whether the loss is to be told now: once.
	 */
	boolean beginToTellLoss() {
		return this.lossTold.compareAndSet(false, true);
	}

	boolean isOf(LockEngine other, RedisLockKey sought) {
		return this.engine == other && this.tenure.key.equals(sought);
	}

	boolean isReleased() {
		return this.ended.get();
	}

	@Override
	public String name() {
		return this.settings.name();
	}

	@Override
	public long token() {
		return this.token;
	}

	@Override
	public boolean isValid() {
		return !this.ended.get() && this.tenure.isValid();
	}

	@Override
	public Duration remaining() {
		return this.ended.get() ? Duration.ZERO : this.tenure.remaining();
	}

	@Override
	public void assertHeld() {
		if (!isValid()) {
			throw new LockLostException(name());
		}
	}

	@Override
	public String toString() {
		return "lock '" + name() + "', token " + this.token + ", " + (this.ended.get() ? "RELEASED" : this.tenure);
	}

}
