/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A lock of this instance, from its acquisition to its release or loss.
 * <p>
 * One state, left once: {@code HELD} until the holder closes it ({@code RELEASED}), the
 * local deadline passes ({@code EXPIRED}) or Redis says that it is not ours
 * ({@code GONE}). The deadline is the moment at which the last extension that Redis has
 * confirmed was <em>sent</em>, plus the lease, less a margin for clocks that run at
 * different speed: it passes before the key can expire. While the state is {@code HELD}
 * exactly one timer is set, for the next extension or the deadline, whichever comes
 * first. Extensions that fail are repeated every tenth of the lease until the deadline.
 * An answer that arrives after the state was left changes nothing.
 */
final class HeldLock implements LockHandle {

	private static final int RENEWALS_PER_LEASE = 3;

	private static final int RETRIES_PER_LEASE = 10;

	private static final int DRIFT_SHARE = 100;

	private static final long DRIFT_FLOOR_NANOS = 2_000_000;

	private final LockEngine engine;

	private final LockSettings settings;

	private final RedisLockKey key;

	private final String handle;

	private final long token;

	private final CallBudget budget;

	private final long leaseNanos;

	private final long acquiredAt = System.nanoTime();

	private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private volatile long deadline;

	private volatile long nextRenewal;

	private final AtomicReference<@Nullable Future<?>> timer = new AtomicReference<>();

	private volatile boolean transactional;

	HeldLock(LockEngine engine, LockAttempt attempt, long token, long sent) {
		this.engine = engine;
		this.settings = attempt.settings;
		this.key = attempt.key;
		this.handle = attempt.handle;
		this.token = token;
		this.budget = attempt.budget;
		this.leaseNanos = this.settings.leaseTime().toNanos();
		extendedAt(sent);
	}

	private void extendedAt(long sent) {
		this.nextRenewal = sent + this.leaseNanos / RENEWALS_PER_LEASE;
		this.deadline = sent + this.leaseNanos - this.leaseNanos / DRIFT_SHARE - DRIFT_FLOOR_NANOS;
	}

	/**
	 * Makes {@link #close()} wait for the transaction that is active on this thread.
	 */
	HeldLock bindToTransaction() {
		this.transactional = LockTransactions.isActive();
		return this;
	}

	void start() {
		schedule(System.nanoTime(), false);
	}

	/**
	 * Looks after the lease: on the timer, and at once when Redis is back.
	 */
	void tend() {
		if (this.state.get() != State.HELD) {
			return;
		}
		long now = System.nanoTime();
		if (now - this.deadline >= 0) {
			lose(State.EXPIRED, LockLostEvent.Cause.EXPIRED);
			return;
		}
		boolean due = this.settings.renew() && now - this.nextRenewal >= 0;
		if (due) {
			renew();
		}
		schedule(now, due);
	}

	private void schedule(long now, boolean underWay) {
		long next = this.deadline;
		if (this.settings.renew()) {
			long renewal = underWay ? now + this.leaseNanos / RETRIES_PER_LEASE : this.nextRenewal;
			next = (renewal - next < 0) ? renewal : next;
		}
		replaceTimer(this.engine.schedule(this::tend, next - now));
		if (this.state.get() != State.HELD) {
			cancelTimer();
		}
	}

	/**
	 * Learns at once, and not only at the next extension, whether the lock has survived.
	 */
	void verify() {
		if (this.settings.renew() && this.state.get() == State.HELD) {
			renew();
			// Messages may be back before commands are: then it is to be tried again soon
			schedule(System.nanoTime(), true);
		}
	}

	private void renew() {
		long sent = System.nanoTime();
		this.nextRenewal = sent + this.leaseNanos / RETRIES_PER_LEASE;
		this.engine.redis().renew(this.key, this.handle, this.settings.leaseTime()).whenComplete((mine, failure) -> {
			if (failure != null) {
				return; // the timer tries again
			}
			if (!mine) {
				lose(State.GONE, LockLostEvent.Cause.NOT_OWNER);
			}
			else if (System.nanoTime() - this.deadline >= 0) {
				lose(State.EXPIRED, LockLostEvent.Cause.EXPIRED); // too late to go on as
																	// if nothing was
			}
			else {
				extendedAt(sent);
			}
		});
	}

	private void lose(State how, LockLostEvent.Cause cause) {
		if (this.state.compareAndSet(State.HELD, how)) {
			cancelTimer();
			this.engine.lost(this, cause);
		}
	}

	@Override
	public void close() {
		if (this.transactional && this.state.get() == State.HELD
				&& LockTransactions.afterCompletion(this::releaseAndWait)) {
			return;
		}
		releaseAndWait();
	}

	private void releaseAndWait() {
		LockContext.forget(this);
		Waiting.await(release());
	}

	/**
	 * Gives up the lock.
	 * @return completes, never exceptionally, when Redis has answered or the budget is
	 * spent
	 */
	CompletableFuture<Void> release() {
		State before = this.state.getAndSet(State.RELEASED);
		if (before != State.RELEASED) {
			cancelTimer();
			this.engine.finished(this, Duration.ofNanos(System.nanoTime() - this.acquiredAt));
			release(before);
		}
		return this.released;
	}

	private void release(State before) {
		if (before == State.HELD) {
			this.engine.redis().release(this.key, this.handle, this.budget).whenComplete((mine, failure) -> {
				if (failure != null) {
					releaseEventually();
				}
				this.engine.released(this, failure != null || mine);
				this.released.complete(null);
			});
			return;
		}
		if (before == State.EXPIRED) {
			releaseEventually();
		}
		this.released.complete(null);
	}

	private void releaseEventually() {
		this.engine.redis().releaseEventually(this.key, this.handle, this.settings.leaseTime());
	}

	private void cancelTimer() {
		replaceTimer(null);
	}

	private void replaceTimer(@Nullable Future<?> next) {
		Future<?> replaced = this.timer.getAndSet(next);
		if (replaced != null) {
			replaced.cancel(false);
		}
	}

	boolean isOf(LockEngine other, RedisLockKey sought) {
		return this.engine == other && this.key.equals(sought);
	}

	boolean isReleased() {
		return this.state.get() == State.RELEASED;
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
		return this.state.get() == State.HELD && this.deadline - System.nanoTime() > 0;
	}

	@Override
	public Duration remaining() {
		return (this.state.get() == State.HELD) ? Duration.ofNanos(Math.max(0, this.deadline - System.nanoTime()))
				: Duration.ZERO;
	}

	@Override
	public void assertHeld() {
		if (!isValid()) {
			throw new LockLostException(name());
		}
	}

	@Override
	public String toString() {
		return "lock '" + name() + "', token " + this.token + ", " + this.state.get();
	}

	private enum State {

		HELD, EXPIRED, GONE, RELEASED

	}

}
