/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The permits that this instance has in advance of limits that are always asked together,
 * and the calls that wait for more.
 * <p>
 * One call asks for all. As long as what it asks for comes, calls that find nothing left
 * wait for its decision; near the limit, where nothing is to be had in advance, each asks
 * for itself. The next batch is twice as large if the last one was used up in its time,
 * and as large as what was used of it if not.
 */
final class Lease {

	private final Lock lock = new ReentrantLock();

	private Deque<Consumer<@Nullable Throwable>> waiting = new ArrayDeque<>();

	private int asking;

	private boolean alone = true;

	private long size = -1;

	private long askedAt;

	private long used;

	private int resets;

	private @Nullable Batch batch;

	/**
	 * Takes permits that are at hand.
	 */
	@Nullable Taken take(List<PermitRequest> requests, long now) {
		this.lock.lock();
		try {
			Batch present = atHand(requests, now);
			if (present == null) {
				return null;
			}
			present.permits -= requests.get(0).cost();
			return new Taken(present, present.permits);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Joins those who wait for a decision. One that has come since the caller found
	 * nothing counts as well, or else the caller would ask for what is there.
	 * @param waiter told why there was no decision, or {@code null} if there was one and
	 * it may try again
	 * @return {@code false} if nobody asks: the caller must, and must publish the
	 * decision
	 */
	boolean join(List<PermitRequest> requests, long now, Consumer<@Nullable Throwable> waiter) {
		this.lock.lock();
		try {
			if (atHand(requests, now) == null) {
				if (this.asking == 0 || !this.alone) {
					this.asking++;
					return false;
				}
				this.waiting.add(waiter);
				return true;
			}
		}
		finally {
			this.lock.unlock();
		}
		waiter.accept(null);
		return true;
	}

	private @Nullable Batch atHand(List<PermitRequest> requests, long now) {
		Batch present = this.batch;
		boolean suffices = present != null && present.permits >= requests.get(0).cost()
				&& present.isUsable(requests, now);
		return suffices ? present : null;
	}

	/**
	 * Returns what to ask for.
	 */
	Asking ask(long most, long span, long now) {
		this.lock.lock();
		try {
			if (this.size < 0) {
				this.size = most;
			}
			else if (now - this.askedAt < span) {
				this.size = Math.max(1, this.size * 2);
			}
			else {
				this.size = (this.batch != null) ? this.batch.used() : this.used;
			}
			this.size = Math.min(most, this.size);
			this.askedAt = now;
			return new Asking(this, this.size, this.resets);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Takes note of a decision, and lets the waiting calls try again. Returns the batch
	 * that it replaced, if that has permits left.
	 */
	@Nullable Batch answered(Asking asking, @Nullable RedisDecision decision, @Nullable Throwable failure) {
		Deque<Consumer<@Nullable Throwable>> served;
		Batch replaced = null;
		this.lock.lock();
		try {
			this.asking--;
			this.alone = failure != null || (decision != null && decision.extra() > 0);
			// Nobody can tell whether a reset in between has forgotten what was taken
			if (decision != null && decision.extra() > 0 && asking.resets == this.resets) {
				replaced = end(this.batch);
				this.batch = new Batch(this, decision);
			}
			served = this.waiting;
			if (!served.isEmpty()) {
				this.waiting = new ArrayDeque<>();
			}
		}
		finally {
			this.lock.unlock();
		}
		served.forEach((waiter) -> waiter.accept(failure));
		return replaced;
	}

	/**
	 * Ends the present batch, or that of a decision, and returns it if it has permits
	 * left, once.
	 */
	@Nullable Batch stop(@Nullable RedisDecision decision) {
		this.lock.lock();
		try {
			boolean isIt = this.batch != null && (decision == null || this.batch.decision == decision);
			return isIt ? end(this.batch) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable Batch end(@Nullable Batch ended) {
		if (ended == null) {
			return null;
		}
		ended.isOver = true;
		this.used = ended.used();
		this.batch = null;
		return (ended.permits > 0) ? ended : null;
	}

	void drop() {
		this.lock.lock();
		try {
			this.resets++;
			if (this.batch != null) {
				this.batch.isDropped = true;
				end(this.batch);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isIdle(long now) {
		this.lock.lock();
		try {
			return this.asking == 0 && this.batch == null && now - this.askedAt > Leases.LONGEST.toNanos();
		}
		finally {
			this.lock.unlock();
		}
	}

	record Asking(Lease lease, long extra, int resets) {
	}

	record Taken(Batch batch, long left) {
	}

	/**
	 * Permits that came with one decision. All that changes is guarded by the lease.
	 */
	static final class Batch {

		private final Lease lease;

		private final RedisDecision decision;

		private final long until;

		private long permits;

		private boolean isOver;

		private boolean isDropped;

		private Batch(Lease lease, RedisDecision decision) {
			this.lease = lease;
			this.decision = decision;
			this.until = decision.extraUsableUntil();
			this.permits = decision.extra();
		}

		boolean isUsable(List<PermitRequest> requests, long now) {
			return now - this.until < 0 && this.decision.isFor(requests);
		}

		private long used() {
			return this.decision.extra() - this.permits;
		}

		RedisDecision decision() {
			return this.decision;
		}

		long leftover() {
			return this.permits;
		}

		/**
		 * Takes permits that a call does not need after all.
		 * @return {@code false} if the batch is over, so that Redis is to have them;
		 * {@code true} also if a reset has forgotten them
		 */
		boolean putBack(long returned, long now) {
			this.lease.lock.lock();
			try {
				if (this.isOver || now - this.until >= 0) {
					return this.isDropped;
				}
				this.permits += returned;
				return true;
			}
			finally {
				this.lease.lock.unlock();
			}
		}

	}

}
