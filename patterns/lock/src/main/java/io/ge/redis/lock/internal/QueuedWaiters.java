// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this instance as Redis knows them, and the replies and messages of Redis
 * to them.
 * <p>
 * Towards Redis the instance acts as one. While it does not have a lock and one of its
 * callers waits it is a {@link QueuedWaiter}. It asks at first, when messages may have
 * been lost, and otherwise once a second or when the lease of the present owner ends. At
 * most one question is under way. A message meanwhile makes it ask again, since the
 * answer may be older. When it gets the lock, by an answer, the first waiter has it;
 * Redis knows only the handle, so it does not matter which caller has asked. A message
 * that the lock is granted only makes it ask, since any client may have sent it.
 * <p>
 * Invariant: what Redis gives to a handle either begins the one lease of that handle or
 * is released, in whatever order answers and messages come. A lease is given up once; its
 * last section is completed once, and only after Redis has answered or the budget is
 * spent. A release that Redis may not have received is repeated until it answers.
 */
final class QueuedWaiters {

	/** Less than a second with the jitter and the round trip. */
	private static final long BACKSTOP_MILLIS = 900;

	private static final long JITTER_MILLIS = 50;

	/** Margin for what expires within the current millisecond. */
	private static final long EXPIRY_MILLIS = 2;

	private final LocalLocks locals;

	private final LockQueues callers;

	private final LockLeases leases;

	private final LockTimers timers;

	QueuedWaiters(LocalLocks locals, LockQueues callers, LockLeases leases, LockTimers timers) {
		this.locals = locals;
		this.callers = callers;
		this.leases = leases;
		this.timers = timers;
	}

	// Beginning to wait, while deciding

	void apply(LocalLock local, CallBudget budget, List<Runnable> then) {
		ask(local, enqueue(local, budget), then);
	}

	/**
	 * Asks for an awaited lock, since it was lost or the outcome of the last question is
	 * unknown.
	 */
	void applyAgain(LocalLock local, List<Runnable> then) {
		apply(local, local.redis.newBudget(), then);
	}

	private QueuedWaiter enqueue(LocalLock local, CallBudget budget) {
		QueuedWaiter queued = new QueuedWaiter(local.redis.newHandle(), budget);
		local.queued = queued;
		this.locals.remember(queued.handle, local);
		return queued;
	}

	/**
	 * Leaves the queue in Redis. A question under way is followed up when it is answered.
	 */
	void withdraw(LocalLock local) {
		QueuedWaiter queued = local.queued;
		if (queued != null && !queued.asking) {
			LockTimers.cancel(queued.backstop);
			local.queued = null;
			this.locals.forget(queued.handle);
			this.locals.track(local.redis.leave(local.key, queued.handle));
		}
	}

	// Asking

	private void ask(LocalLock local, QueuedWaiter queued, List<Runnable> then) {
		LockTimers.cancel(queued.backstop);
		queued.asking = true;
		queued.askAgain = false;
		LockSettings wanted = local.waiters.getFirst().settings;
		then.add(() -> send(local, queued, wanted));
	}

	private void askAnew(LocalLock local, QueuedWaiter queued, List<Runnable> then) {
		if (queued.asking) {
			queued.askAgain = true;
			return;
		}
		if (local.waiters.isEmpty()) {
			this.callers.abandon(local, then);
			return;
		}
		queued.budget = local.redis.newBudget();
		ask(local, queued, then);
	}

	private void send(LocalLock local, QueuedWaiter queued, LockSettings wanted) {
		long sent = System.nanoTime();
		this.locals.track(local.redis.acquire(local.key, queued.handle, wanted, true, queued.budget)
			.whenComplete((answer, failure) -> {
				if (failure != null) {
					// The caller's thread must not wait for others
					this.timers.run(() -> fail(local, queued, Waiting.cause(failure)));
				}
				else if (answer.tokens() != null) {
					acquired(local, queued, answer.tokens(), sent, wanted);
				}
				else {
					busy(local, queued, answer);
				}
			}));
	}

	private void retry(LocalLock local, QueuedWaiter queued) {
		this.locals.decide((then) -> {
			if (local.queued == queued && !queued.asking) {
				askAnew(local, queued, then);
			}
		});
	}

	/**
	 * Returns the nanoseconds after which to ask again without a message: within a
	 * second, since messages may be lost, and as soon as the present lease is said to
	 * end.
	 */
	private static long backstopNanos(long leaseMillis) {
		long jittered = BACKSTOP_MILLIS + ThreadLocalRandom.current().nextLong(JITTER_MILLIS);
		long millis = (leaseMillis >= 0) ? Math.min(leaseMillis + EXPIRY_MILLIS, jittered) : jittered;
		return millis * 1_000_000;
	}

	// Answers

	private void acquired(LocalLock local, QueuedWaiter queued, LockAnswer.TokenRange tokens, long sent,
			LockSettings asked) {
		this.locals.decide((then) -> {
			if (local.queued == queued) {
				begin(local, queued, tokens, sent, asked, then);
			}
			else if (this.locals.find(queued.handle) == null) {
				releaseUnused(local, queued, asked, then);
			}
		});
	}

	private void begin(LocalLock local, QueuedWaiter queued, LockAnswer.TokenRange tokens, long since,
			LockSettings asked, List<Runnable> then) {
		LockTimers.cancel(queued.backstop);
		local.queued = null;
		LockRequest first = local.waiters.peekFirst();
		if (first == null) {
			this.locals.forgetIfIdle(local);
			this.locals.forget(queued.handle);
			releaseUnused(local, queued, asked, then);
			return;
		}
		first.budget = queued.budget;
		this.callers.begin(local, new LockLease(this.leases, local.redis, local.key, queued.handle, tokens,
				first.settings, since, asked.leaseTime()), then);
	}

	private void releaseUnused(LocalLock local, QueuedWaiter queued, LockSettings asked, List<Runnable> then) {
		then.add(() -> this.locals.track(local.redis.releaseUnused(local.key, queued.handle, asked.leaseTime())));
	}

	private void busy(LocalLock local, QueuedWaiter queued, LockAnswer answer) {
		this.locals.decide((then) -> {
			if (local.queued != queued) {
				return;
			}
			queued.asking = false;
			local.freeAt = answer.freeAt();
			refuseOverdue(local, then);
			if (local.waiters.isEmpty()) {
				this.callers.abandon(local, then);
				return;
			}
			if (queued.askAgain) {
				askAnew(local, queued, then);
				return;
			}
			this.callers.waitUntilTimeout(local, local.waiters.getFirst());
			queued.backstop = this.timers.schedule(() -> retry(local, queued), backstopNanos(answer.leaseMillis()));
		});
	}

	private void refuseOverdue(LocalLock local, List<Runnable> then) {
		for (LockRequest first = local.waiters.peekFirst(); first != null
				&& first.isOverdue(); first = local.waiters.peekFirst()) {
			this.locals.refuse(local, first, then);
		}
	}

	/**
	 * Fails all for whom Redis gave no answer: asking for one after the other would cost
	 * each of them the budgets of the earlier ones.
	 */
	private void fail(LocalLock local, QueuedWaiter queued, Throwable failure) {
		this.locals.decide((then) -> {
			if (local.queued != queued) {
				return;
			}
			while (!local.waiters.isEmpty()) {
				this.locals.fail(local, local.waiters.getFirst(), failure, then);
			}
			queued.asking = false;
			this.callers.abandon(local, then);
		});
	}

	/**
	 * Takes the answer to a release after which this instance keeps waiting.
	 */
	private void followed(LocalLock local, QueuedWaiter following, LockAnswer.Released released, LockSettings wanted,
			long sent, boolean kept) {
		if (released.tokens() != null) {
			acquired(local, following, released.tokens(), sent, wanted);
		}
		else if (released.elsewhere() && !kept) {
			busy(local, following, new LockAnswer(null, -1, false));
		}
		else {
			askFor(local, following);
		}
	}

	private void askFor(LocalLock local, QueuedWaiter queued) {
		this.locals.decide((then) -> {
			if (local.queued == queued) {
				queued.asking = false;
				askAnew(local, queued, then);
			}
		});
	}

	/**
	 * Asks with another handle, since the outcome for the first one is unknown.
	 */
	private void replace(LocalLock local, QueuedWaiter unknown) {
		this.locals.decide((then) -> {
			if (local.queued == unknown) {
				local.queued = null;
				this.locals.forget(unknown.handle);
				if (local.waiters.isEmpty()) {
					this.locals.forgetIfIdle(local);
				}
				else {
					applyAgain(local, then);
				}
			}
		});
	}

	// Releasing

	/**
	 * Releases a lock without waiters in this instance, outside a decision.
	 * @param section the section that ends with it; {@code null} if the lease is between
	 * two
	 */
	void release(LockLease lease, @Nullable HeldLock section) {
		release(lease, section, null);
	}

	/**
	 * Releases a lock and, by the same command, waits for it again behind the others.
	 */
	void releaseAndFollow(LocalLock local, LockLease lease, @Nullable HeldLock section, List<Runnable> then) {
		Next next = new Next(local, enqueue(local, local.redis.newBudget()), local.waiters.getFirst().settings);
		then.add(() -> release(lease, section, next));
	}

	private void release(LockLease lease, @Nullable HeldLock section, @Nullable Next next) {
		LockLease.State before = lease.end();
		if (before != LockLease.State.HELD) {
			releaseLost(lease, section, before);
			if (next != null) {
				askFor(next.local, next.queued);
			}
			return;
		}
		long sent = System.nanoTime();
		Duration keep = (section != null) ? section.keep() : Duration.ZERO;
		CallBudget budget = (section != null) ? section.budget : lease.redis.newBudget();
		this.locals.track(lease.redis
			.release(lease.key, lease.handle, (next != null) ? next.queued.handle : null,
					(next != null) ? next.wanted.leaseTime() : Duration.ZERO, keep, budget)
			.whenComplete((released, failure) -> {
				if (failure != null) {
					lease.redis.releaseEventually(lease.key, lease.handle, lease.leaseTime(), keep);
					if (next != null) {
						lease.redis.releaseEventually(lease.key, next.queued.handle, next.wanted.leaseTime(),
								Duration.ZERO);
					}
				}
				over(lease, section, failure != null || released.mine());
				if (next != null && failure != null) {
					replace(next.local, next.queued);
				}
				else if (next != null) {
					followed(next.local, next.queued, released, next.wanted, sent, !keep.isZero());
				}
			}));
	}

	private void releaseLost(LockLease lease, @Nullable HeldLock section, LockLease.State before) {
		if (before == LockLease.State.EXPIRED) {
			lease.redis.releaseEventually(lease.key, lease.handle, lease.leaseTime(), Duration.ZERO);
		}
		if (section != null) {
			this.leases.lostSection(section, before.cause());
		}
		over(lease, section, true);
	}

	private void over(LockLease lease, @Nullable HeldLock section, boolean wasMine) {
		this.locals.forget(lease.handle);
		this.leases.released(section, wasMine);
	}

	// Messages

	/**
	 * Takes the message that the lock is granted to this instance: asks whether it is, or
	 * hands it on if no caller waits for it any more.
	 */
	void granted(RedisLocks redis, String handle, RedisLockKey key) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(handle);
			if (local == null) {
				then.add(() -> this.locals.track(redis.leave(key, handle)));
			}
			else if (local.queued != null && local.queued.handle.equals(handle)) {
				askAnew(local, local.queued, then);
			}
		});
	}

	/**
	 * Takes the message that this instance was the next one and the lock is free, since
	 * it could not be granted.
	 */
	void offered(RedisLockKey key) {
		this.locals.decide((then) -> {
			LocalLock local = this.locals.find(key);
			if (local != null && local.queued != null) {
				askAnew(local, local.queued, then);
			}
		});
	}

	/**
	 * Asks for all awaited locks, since messages may have been lost.
	 */
	void askAll() {
		this.locals.decide((then) -> {
			for (LocalLock local : this.locals.all()) {
				if (local.queued != null) {
					askAnew(local, local.queued, then);
				}
			}
		});
	}

	/**
	 * A waiter that waits from the release of a lock on.
	 */
	private record Next(LocalLock local, QueuedWaiter queued, LockSettings wanted) {
	}

}
