// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.lock.LockLostEvent;
import org.jspecify.annotations.Nullable;

/**
 * The time for which this instance has a lock in Redis, under one handle and with a range
 * of tokens. Sections of one or several callers follow each other in it: see
 * {@link LockQueues}.
 * <p>
 * One state, left once: {@code HELD} until the lock is given up ({@code RELEASED}), the
 * local deadline passes ({@code EXPIRED}) or Redis says that it is not ours ({@code
 * GONE}). The deadline is the lease after the last confirmed extension was <em>sent</em>,
 * less a margin for clocks that run at different speed. It passes before the key can
 * expire. While the state is {@code HELD} exactly one timer is set, for the next
 * extension or the deadline. If the lock was requested for another caller, its lease may
 * differ. Then it is set once to the lease of the first section, even without renewal.
 */
final class LockLease {

	/** Time for which callers of one instance may follow each other if others wait. */
	public static final long LONGEST_NANOS = 20_000_000;

	private static final long CONFIRM_AFTER_NANOS = 100_000_000;

	private static final long MILLISECOND = 1_000_000;

	private static final int RENEWALS_PER_LEASE = 3;

	private static final int RETRIES_PER_LEASE = 10;

	private static final int DRIFT_SHARE = 100;

	private static final long DRIFT_FLOOR_NANOS = 2_000_000;

	public final RedisLockKey key;

	final String handle;

	final RedisLocks redis;

	private final LockLeases leases;

	private final LockSettings settings;

	private final long leaseNanos;

	/** Longest time for which leases are extended. */
	private final long longestNanos;

	private final long began = System.nanoTime();

	private final LockAnswer.TokenRange tokens;

	/** Guarded by {@link LocalLocks}, as is what is inside. */
	private long nextToken;

	/** Time from which sections can begin; guarded likewise. */
	private long opened = this.began;

	/** Number of replicas that have confirmed it; guarded likewise. */
	private int replicas;

	/** The present section, or the last one. */
	private volatile @Nullable HeldLock section;

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	private final AtomicReference<@Nullable Future<?>> timer = new AtomicReference<>();

	private volatile long deadline;

	private volatile long nextRenewal;

	private volatile boolean confirmed;

	/** Whether the lease has been extended as far as it may be. */
	private volatile boolean last;

	/** The primary that knows it, by the number of new primaries before. */
	private volatile int primary;

	/**
	 * Creates a lease.
	 * @param since a time before this instance had the lock
	 */
	LockLease(LockLeases leases, RedisLocks redis, RedisLockKey key, String handle, LockAnswer.TokenRange tokens,
			LockSettings settings, long since, Duration lease) {
		this.leases = leases;
		this.key = key;
		this.redis = redis;
		this.handle = handle;
		this.primary = redis.newPrimaries();
		this.tokens = tokens;
		this.nextToken = tokens.first();
		this.settings = settings;
		this.leaseNanos = settings.leaseTime().toNanos();
		this.confirmed = lease.equals(settings.leaseTime());
		this.deadline = deadline(since, lease.toNanos());
		this.longestNanos = (settings.maxHold() != null) ? settings.maxHold().toNanos() : Long.MAX_VALUE;
		this.nextRenewal = this.confirmed ? since + this.leaseNanos / RENEWALS_PER_LEASE
				: this.began + Math.min(CONFIRM_AFTER_NANOS, (this.deadline - this.began) / 2);
	}

	private static long deadline(long sent, long nanos) {
		return sent + nanos - nanos / DRIFT_SHARE - DRIFT_FLOOR_NANOS;
	}

	/**
	 * Begins the section of the next caller. Never called concurrently.
	 */
	HeldLock enter(LockSettings settings, CallBudget budget) {
		HeldLock entered = new HeldLock(this.leases, this, settings, budget, this.nextToken++);
		this.section = entered;
		this.leases.entered(entered);
		return entered;
	}

	/**
	 * Publishes a loss that happened while a section began, when the section could not be
	 * found.
	 */
	void publishIfLost(HeldLock entered) {
		State now = this.state.get();
		if (now == State.EXPIRED || now == State.GONE) {
			this.leases.lostSection(entered, now.cause());
		}
	}

	boolean canServe(LockSettings next) {
		long now = System.nanoTime();
		return this.state.get() == State.HELD && now - this.opened < LONGEST_NANOS
				&& this.nextToken <= this.tokens.last() && this.settings.renew() && next.renew()
				&& this.settings.leaseTime().equals(next.leaseTime()) && next.replicas() <= this.replicas
				&& Objects.equals(this.settings.maxHold(), next.maxHold())
				&& this.deadline - now > Math.min(this.leaseNanos, RedisLocks.GRANT.toNanos()) / 4;
	}

	void confirmed(int by) {
		this.replicas = by;
		this.opened = System.nanoTime();
	}

	@Nullable HeldLock section() {
		return this.section;
	}

	void schedule() {
		schedule(System.nanoTime(), false);
	}

	/**
	 * Extends or ends the lease if it is due: on the timer, and at once when Redis is
	 * back.
	 */
	void tend() {
		HeldLock inside = this.section;
		if (inside != null) {
			inside.checkKeepers();
		}
		if (this.state.get() != State.HELD) {
			return;
		}
		long now = System.nanoTime();
		if (now - this.deadline >= 0) {
			lose(State.EXPIRED);
			return;
		}
		boolean due = isExtended() && now - this.nextRenewal >= 0;
		if (due) {
			this.leases.renew(this, now);
		}
		schedule(now, due);
	}

	private boolean isExtended() {
		return (this.settings.renew() && !this.last) || !this.confirmed;
	}

	private void schedule(long now, boolean underWay) {
		long next = this.deadline;
		if (isExtended()) {
			long renewal = underWay ? now + this.leaseNanos / RETRIES_PER_LEASE : this.nextRenewal;
			next = (renewal - next < 0) ? renewal : next;
		}
		replaceTimer(this.leases.schedule(this::tend, next - now));
		if (this.state.get() != State.HELD) {
			replaceTimer(null);
		}
	}

	/**
	 * Returns whether the lease must be extended soon. Then it is extended now, with the
	 * leases of other locks.
	 */
	boolean isDueSoon(long now) {
		return isVerifiable() && this.nextRenewal - now < this.leaseNanos / (2 * RENEWALS_PER_LEASE);
	}

	boolean isVerifiable() {
		return isExtended() && this.state.get() == State.HELD;
	}

	/**
	 * Sets the timer for an extension that is under way and may fail: messages may be
	 * back before commands are.
	 */
	void retrySoon(long now) {
		schedule(now, true);
	}

	LeaseRenewal renewal(long now) {
		this.nextRenewal = now + this.leaseNanos / RETRIES_PER_LEASE;
		return new LeaseRenewal(this.key, this.handle, lease(now),
				(this.primary != this.redis.newPrimaries()) ? this.tokens : null);
	}

	private Duration lease(long now) {
		long left = this.longestNanos - (now - this.began);
		return (left < this.leaseNanos) ? Duration.ofNanos(Math.max(MILLISECOND, left)) : this.settings.leaseTime();
	}

	void renewed(long sent, Duration lease, boolean mine) {
		if (!mine) {
			lose(State.GONE);
		}
		else if (System.nanoTime() - this.deadline >= 0) {
			lose(State.EXPIRED); // too late to extend it
		}
		else {
			this.nextRenewal = sent + this.leaseNanos / RENEWALS_PER_LEASE;
			this.deadline = deadline(sent, lease.toNanos());
			this.confirmed = true;
			this.primary = this.redis.newPrimaries();
			this.last = lease.compareTo(this.settings.leaseTime()) < 0;
		}
	}

	void takenAway() {
		lose(State.GONE);
	}

	/**
	 * Notices a deadline that has passed, also where the timer is late.
	 */
	void checkDeadline() {
		if (System.nanoTime() - this.deadline >= 0) {
			lose(State.EXPIRED);
		}
	}

	private void lose(State how) {
		if (this.state.compareAndSet(State.HELD, how)) {
			replaceTimer(null);
			this.leases.lost(this, how.cause());
		}
	}

	/**
	 * Ends it on this side, and returns the state in which it was.
	 */
	State end() {
		State before = this.state.getAndSet(State.RELEASED);
		replaceTimer(null);
		return before;
	}

	private void replaceTimer(@Nullable Future<?> next) {
		Future<?> replaced = this.timer.getAndSet(next);
		if (replaced != null) {
			replaced.cancel(false);
		}
	}

	boolean isValid() {
		return this.state.get() == State.HELD && this.deadline - System.nanoTime() > 0;
	}

	Duration remaining() {
		return (this.state.get() == State.HELD) ? Duration.ofNanos(Math.max(0, this.deadline - System.nanoTime()))
				: Duration.ZERO;
	}

	Duration leaseTime() {
		return this.settings.leaseTime();
	}

	@Override
	public String toString() {
		return this.state.get().toString();
	}

	enum State {

		HELD, EXPIRED, GONE, RELEASED;

		LockLostEvent.Cause cause() {
			return (this == EXPIRED) ? LockLostEvent.Cause.EXPIRED : LockLostEvent.Cause.NOT_OWNER;
		}

	}

}
