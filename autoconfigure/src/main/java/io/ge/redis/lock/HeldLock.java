/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

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

	/** Who is interrupted when the lock is lost, if anybody is. */
	private final @Nullable Worker worker;

	private volatile boolean transactional;

	HeldLock(LockEngine engine, Tenure tenure, LockAttempt attempt, long token) {
		this.engine = engine;
		this.tenure = tenure;
		this.settings = attempt.settings;
		this.budget = attempt.budget;
		this.worker = (this.settings.onLost() == OnLost.INTERRUPT) ? new Worker() : null;
		this.token = token;
	}

	/**
	 * Makes {@link #close()} wait for the transaction that is active on this thread.
	 */
	HeldLock bindToTransaction() {
		this.transactional = LockTransactions.isActive();
		if (this.transactional) {
			LockTransactions.warnIfOlder(name());
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
		if (this.worker != null) {
			this.worker.begin();
		}
	}

	/**
	 * Has ended the work of this thread, which is not interrupted any more.
	 */
	void endWork() {
		if (this.worker != null) {
			this.worker.end();
		}
	}

	/**
	 * Interrupts whoever works under the lock, which is lost.
	 */
	void interruptWorker() {
		if (this.worker != null) {
			this.worker.interrupt();
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
		Waiting.await(beginClose());
	}

	/**
	 * Gives up the lock, or sees to it that it is given up after the transaction.
	 */
	CompletableFuture<Void> beginClose() {
		if (this.transactional && !this.ended.get() && LockTransactions.afterCompletion(this::releaseAndWait)) {
			return CompletableFuture.completedFuture(null);
		}
		LockContext.forget(this);
		return release();
	}

	private void releaseAndWait() {
		LockContext.forget(this);
		Waiting.await(release());
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

	Duration age() {
		return Duration.ofNanos(System.nanoTime() - this.acquiredAt);
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
