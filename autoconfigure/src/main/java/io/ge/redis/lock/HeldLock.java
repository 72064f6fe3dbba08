/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

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

	private final AtomicBoolean closed = new AtomicBoolean();

	/**
	 * The caller that has taken it, until it is closed, and threads that have entered it
	 * again.
	 */
	private final AtomicInteger users = new AtomicInteger(1);

	/** Transactions among them. */
	private final List<KeptLocks> keepers = new CopyOnWriteArrayList<>();

	private final AtomicBoolean lossTold = new AtomicBoolean();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	/** The worker that is interrupted when the lock is lost, if any. */
	private final @Nullable Worker worker;

	private volatile boolean transactional;

	/** Whether nobody has worked under it. */
	private volatile boolean unused;

	HeldLock(LockEngine engine, Tenure tenure, LockAttempt attempt, long token) {
		this.engine = engine;
		this.tenure = tenure;
		this.settings = attempt.settings;
		this.budget = attempt.budget;
		this.worker = (this.settings.onLost() == OnLost.INTERRUPT) ? new Worker() : null;
		this.token = token;
	}

	/**
	 * Lets the call chain that holds the lock enter it again.
	 * @throws LockLostException if it does not hold it any more
	 * @throws IllegalStateException if it wants more than it holds, and would wait for
	 * itself, or wants more replicas to know of it
	 */
	void enterAgain(LockSettings wanted) {
		if (!this.settings.includes(wanted)) {
			throw new IllegalStateException("The lock '" + name() + "' is wanted " + wanted.manner()
					+ " by a call chain that holds it " + this.settings.manner()
					+ " and would wait for itself: take it " + wanted.manner() + " from the start");
		}
		if (wanted.replicas() > this.settings.replicas()) {
			throw new IllegalStateException("The lock '" + name() + "' is wanted with " + wanted.replicas()
					+ " replicas by a call chain that holds it with " + this.settings.replicas()
					+ ": take it so from the start");
		}
		assertHeld();
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
		if (this.settings.onLost() != OnLost.EVENT && !isReleased()) {
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
	 * Begins work that is not bound to a thread.
	 * @param stop stops it when the lock is lost, if that is wanted
	 */
	void beginWork(Runnable stop) {
		if (this.worker != null) {
			this.worker.begin(stop);
		}
	}

	/**
	 * Returns whether whoever works under the lock is to be interrupted when it is lost.
	 */
	boolean interrupts() {
		return this.worker != null;
	}

	/**
	 * Has ended the work, which is not interrupted any more.
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
	 * Gives up, at once, what was taken for nothing.
	 */
	CompletableFuture<Void> giveBack() {
		this.unused = true;
		return release();
	}

	/**
	 * Returns for how long nobody may have the lock if it is given up now.
	 */
	Duration keep() {
		Duration least = this.settings.atLeastFor();
		if (least.isZero() || this.unused) {
			return Duration.ZERO;
		}
		long left = least.toMillis() - (System.nanoTime() - this.acquiredAt) / 1_000_000;
		return Duration.ofMillis(Math.max(0, left));
	}

	@Override
	public void close() {
		Waiting.await(beginClose());
	}

	@Override
	public CompletionStage<@Nullable Void> closeAsync() {
		return this.engine.handOver(beginClose());
	}

	/**
	 * Gives up the lock, or sees to it that it is given up after the transaction.
	 */
	CompletableFuture<Void> beginClose() {
		if (this.transactional && !isReleased() && LockTransactions.afterCompletion(this::releaseAndWait)) {
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
	 * Keeps the lock until {@link #leave()}, for another thread of the call chain.
	 * @return whether it is not too late
	 */
	boolean join() {
		int now;
		do {
			now = this.users.get();
			if (now == 0) {
				return false;
			}
		}
		while (!this.users.compareAndSet(now, now + 1));
		return true;
	}

	/**
	 * Keeps the lock for a transaction until {@link #letGo}.
	 * @return as {@link #join()}
	 */
	boolean keep(KeptLocks transaction) {
		boolean joined = join();
		if (joined) {
			this.keepers.add(transaction);
		}
		return joined;
	}

	/**
	 * Lets go of the lock for a transaction.
	 * @return as {@link #release()}
	 */
	CompletableFuture<Void> letGo(KeptLocks transaction) {
		this.keepers.remove(transaction);
		return leaveNow();
	}

	/**
	 * Lets go of the lock for transactions that have ended and have told nobody.
	 */
	void checkKeepers() {
		this.keepers.forEach(KeptLocks::giveUpIfOver);
	}

	/**
	 * Lets go of the lock after the transaction of this thread, if there is one. Waits
	 * for Redis where nobody else keeps it any more.
	 */
	void leave() {
		if (!LockTransactions.afterCompletion(this::leaveAndWait)) {
			leaveAndWait();
		}
	}

	private void leaveAndWait() {
		Waiting.await(leaveNow());
	}

	/**
	 * Lets go of the lock, whatever transaction this thread is in.
	 * @return as {@link #release()}
	 */
	CompletableFuture<Void> leaveNow() {
		checkKeepers();
		if (this.users.decrementAndGet() != 0) {
			return CompletableFuture.completedFuture(null);
		}
		this.engine.finished(this, Duration.ofNanos(System.nanoTime() - this.acquiredAt));
		return this.released;
	}

	/**
	 * Gives up the lock.
	 * @return completes, never exceptionally, when another caller of this instance may
	 * have it, Redis has answered, or the budget is spent; or at once if another thread
	 * of the call chain keeps it
	 */
	CompletableFuture<Void> release() {
		if (this.closed.compareAndSet(false, true)) {
			return leaveNow();
		}
		return isReleased() ? this.released : CompletableFuture.completedFuture(null);
	}

	/**
	 * Returns what {@link #release()} does, without giving up the lock.
	 */
	CompletableFuture<Void> whenReleased() {
		return this.released.copy();
	}

	/**
	 * Wakes callers that wait for the release.
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
		return this.users.get() == 0;
	}

	/**
	 * Returns whether whoever has taken it has closed it.
	 */
	boolean isClosed() {
		return this.closed.get();
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
		return !isReleased() && this.tenure.isValid();
	}

	@Override
	public Duration remaining() {
		return isReleased() ? Duration.ZERO : this.tenure.remaining();
	}

	@Override
	public void assertHeld() {
		if (!isValid()) {
			throw new LockLostException(name());
		}
	}

	@Override
	public String toString() {
		return "lock '" + name() + "', token " + this.token + ", " + (isReleased() ? "RELEASED" : this.tenure);
	}

}
