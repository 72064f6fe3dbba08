// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * A lock in the hands of one caller, from its acquisition until it is given up: one
 * section of a {@link LockLease}, which knows whether the lock is still this instance's.
 */
final class HeldLock implements LockHandle {

	public final LockLease lease;

	final CallBudget budget;

	private final LockLeases leases;

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
	private final List<TransactionLocks> keepers = new CopyOnWriteArrayList<>();

	private final AtomicBoolean lossPublished = new AtomicBoolean();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	/** Fails when the lock is lost, if its work is to be interrupted then. */
	private final @Nullable CompletableFuture<Void> loss;

	/** Whether no caller has worked under it. */
	private volatile boolean unused;

	HeldLock(LockLeases leases, LockLease lease, LockSettings settings, CallBudget budget, long token) {
		this.leases = leases;
		this.lease = lease;
		this.settings = settings;
		this.budget = budget;
		this.loss = (this.settings.onLost() == OnLost.INTERRUPT) ? new CompletableFuture<>() : null;
		this.token = token;
	}

	/**
	 * Lets the call chain that holds the lock enter it again, unless it would wait for
	 * itself.
	 */
	public void enterAgain(LockSettings wanted) {
		if (!this.settings.includes(wanted)) {
			throw new IllegalStateException("The lock '" + name() + "' is requested " + wanted.manner()
					+ " by a call chain that holds it " + this.settings.manner()
					+ " and would wait for itself: take it " + wanted.manner() + " from the start");
		}
		if (wanted.replicas() > this.settings.replicas()) {
			throw new IllegalStateException("The lock '" + name() + "' is requested with " + wanted.replicas()
					+ " replicas by a call chain that holds it with " + this.settings.replicas()
					+ ": take it so from the start");
		}
		assertHeld();
	}

	public void assertMayCommit() {
		if (this.settings.onLost() != OnLost.EVENT && !isReleased()) {
			assertHeld();
		}
	}

	/**
	 * Returns a future that fails when one of the locks is lost whose work is to be
	 * interrupted then.
	 */
	public static @Nullable CompletableFuture<?> loss(List<HeldLock> locks) {
		if (locks.size() == 1) {
			return locks.get(0).loss;
		}
		List<CompletableFuture<?>> losses = new ArrayList<>();
		for (HeldLock lock : locks) {
			if (lock.loss != null) {
				losses.add(lock.loss);
			}
		}
		return switch (losses.size()) {
			case 0 -> null;
			case 1 -> losses.get(0);
			default -> CompletableFuture.anyOf(losses.toArray(CompletableFuture[]::new));
		};
	}

	void interruptWork() {
		if (this.loss != null) {
			this.loss.completeExceptionally(new LockLostException(name()));
		}
	}

	/**
	 * Releases the lock of an abandoned call at once.
	 */
	public CompletableFuture<Void> releaseUnused() {
		this.unused = true;
		return release();
	}

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
		Waiting.await(release());
	}

	@Override
	public CompletionStage<@Nullable Void> closeAsync() {
		return this.leases.handOver(release());
	}

	/**
	 * Keeps the lock until {@link #leave}, for another thread of the call chain, unless
	 * it is too late.
	 */
	public boolean join() {
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
	 * Keeps the lock for a transaction until {@link #letGo}, unless it is too late.
	 */
	public boolean keep(TransactionLocks transaction) {
		boolean joined = join();
		if (joined) {
			this.keepers.add(transaction);
		}
		return joined;
	}

	public CompletableFuture<Void> letGo(TransactionLocks transaction) {
		this.keepers.remove(transaction);
		return leave();
	}

	/**
	 * Lets go of the lock for transactions that have ended without notice.
	 */
	void checkKeepers() {
		this.keepers.forEach(TransactionLocks::giveUpIfOver);
	}

	/**
	 * Lets go of the lock, with the result of {@link #release()}.
	 */
	public CompletableFuture<Void> leave() {
		checkKeepers();
		this.lease.checkDeadline();
		if (this.users.decrementAndGet() != 0) {
			return CompletableFuture.completedFuture(null);
		}
		this.leases.finished(this, Duration.ofNanos(System.nanoTime() - this.acquiredAt));
		return this.released;
	}

	/**
	 * Gives up the lock.
	 * @return completes, never exceptionally, when another caller of this instance may
	 * have it, Redis has answered, or the budget is spent; or at once if another thread
	 * of the call chain keeps it
	 */
	public CompletableFuture<Void> release() {
		if (this.closed.compareAndSet(false, true)) {
			return leave();
		}
		return isReleased() ? this.released : CompletableFuture.completedFuture(null);
	}

	CompletableFuture<Void> whenReleased() {
		return this.released.copy();
	}

	void completeRelease() {
		this.released.complete(null);
	}

	boolean beginToPublishLoss() {
		return this.lossPublished.compareAndSet(false, true);
	}

	public Duration age() {
		return Duration.ofNanos(System.nanoTime() - this.acquiredAt);
	}

	boolean isOf(LockLeases other, RedisLockKey sought) {
		return this.leases == other && this.lease.key.equals(sought);
	}

	boolean isReleased() {
		return this.users.get() == 0;
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
		return !isReleased() && this.lease.isValid();
	}

	@Override
	public Duration remaining() {
		return isReleased() ? Duration.ZERO : this.lease.remaining();
	}

	@Override
	public void assertHeld() {
		if (!isValid()) {
			throw new LockLostException(name());
		}
	}

	@Override
	public String toString() {
		return "lock '" + name() + "', token " + this.token + ", " + (isReleased() ? "RELEASED" : this.lease);
	}

}
