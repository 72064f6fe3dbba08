// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.lock.BoundLocks;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockInterruptedException;
import io.ge.redis.lock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

/**
 * Work under a lock. It belongs to the call chain of its caller: of the thread, of the
 * subscriber, and of their transaction. Their locks are entered again, and are kept for
 * this work, which may outlive the section of the call that has taken them.
 */
final class LockedCall implements GuardedCall<LockAttemptResult> {

	private final Locks locks;

	private final Task task;

	/** The locks under which the call is made, innermost last. */
	private List<LockHandle> surrounding = BoundLocks.inside();

	/** The held locks, with those that are only kept for a transaction. */
	private List<LockHandle> held = BoundLocks.all();

	private boolean subscribed;

	private @Nullable TransactionLocks transaction;

	/** The thread of the transaction, if that is bound to one. */
	private @Nullable Thread thread;

	private volatile @Nullable CompletableFuture<LockAttemptResult> asked;

	LockedCall(Locks locks, Task task) {
		this.locks = locks;
		this.task = task;
	}

	@Override
	public void subscribed(Object context) {
		this.subscribed = true;
		List<LockHandle> carried = BoundLocks.of(context);
		this.surrounding = inside(this.surrounding, carried);
		this.held = both(this.held, carried);
		this.transaction = SubscriberTransactions.participant(context, TransactionLocks.class, TransactionLocks::new);
	}

	@Override
	public CompletableFuture<LockAttemptResult> ask() {
		if (!this.subscribed) {
			// A publisher is not in the transaction of the thread that subscribes
			this.transaction = TransactionLocks.ofThread();
			this.thread = Thread.currentThread();
		}
		if (this.transaction != null) {
			this.held = both(this.held, this.transaction.locks());
		}
		CompletableFuture<LockAttemptResult> asking = this.locks.enter(this.task.settings(), this.task.keys(),
				this.task.isTogether(), this.held);
		this.asked = asking;
		return asking;
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public boolean isInterruptible() {
		return !this.task.settings().waitTime().isZero();
	}

	@Override
	public RuntimeException interrupted(InterruptedException interrupt) {
		return (this.asked instanceof LockAttempt request) ? request.interrupted(interrupt)
				: new LockInterruptedException(this.task.settings().name(), interrupt);
	}

	private static List<LockHandle> both(List<LockHandle> some, List<? extends LockHandle> others) {
		if (others.isEmpty()) {
			return some;
		}
		List<LockHandle> all = new ArrayList<>(some);
		all.addAll(others);
		return all;
	}

	private static List<LockHandle> inside(List<LockHandle> outer, List<LockHandle> inner) {
		List<LockHandle> all = new ArrayList<>(outer);
		all.removeAll(inner);
		all.addAll(inner);
		return all;
	}

	@Override
	public Work decide(LockAttemptResult decision) throws Throwable {
		HeldLocks locks;
		try {
			locks = decision.take();
		}
		catch (LockNotAcquiredException ex) {
			return this.task.refused(ex);
		}
		catch (RedisUnavailableException ex) {
			// Other instances continue when this one closes
			if (!this.task.isDoneWithoutLock() || ex.reason() == OutageCause.CLOSED) {
				return this.task.undecided(ex);
			}
			locks = HeldLocks.none(this.task.settings().name());
		}
		return new Locked(locks);
	}

	@Override
	public void release(LockAttemptResult decision) {
		decision.releaseUnused();
	}

	@FunctionalInterface
	interface Locks {

		/**
		 * Takes locks without blocking.
		 * @param chain the locks that the call chain holds, innermost last
		 */
		CompletableFuture<LockAttemptResult> enter(LockSettings settings, List<List<String>> keys, boolean together,
				List<LockHandle> chain);

	}

	interface Task {

		LockSettings settings();

		List<List<String>> keys();

		boolean isTogether();

		boolean isDoneWithoutLock();

		@Nullable Object start(LockHandle lock) throws Throwable;

		/**
		 * Decides on its replacement.
		 */
		default Work refused(LockNotAcquiredException refusal) {
			throw refusal;
		}

		/**
		 * Decides on its replacement while Redis does not decide.
		 */
		default Work undecided(RedisUnavailableException outage) {
			throw outage;
		}

	}

	private final class Locked implements Work {

		private final HeldLocks locks;

		private final List<BoundLocks.Frame> frames;

		Locked(HeldLocks locks) {
			this.locks = locks;
			List<HeldLock> held = locks.held();
			// The handle that the work sees is the innermost
			BoundLocks.Frame innermost = new BoundLocks.Frame(locks.lock());
			if (held.size() == 1 && held.get(0) == locks.lock()) {
				this.frames = List.of(innermost);
			}
			else {
				this.frames = new ArrayList<>();
				held.forEach((lock) -> this.frames.add(new BoundLocks.Frame(lock)));
				this.frames.add(innermost);
			}
		}

		@Override
		public void begin(Beginning beginning) throws Throwable {
			TransactionLocks kept = LockedCall.this.transaction;
			if (kept != null) {
				// Its other calls enter them again
				kept.keep(this.locks);
				if (Thread.currentThread() == LockedCall.this.thread) {
					kept.bind(this.locks.held());
				}
			}
			try (LockContext.Scope scope = BoundLocks.bind(LockedCall.this.surrounding, this.frames)) {
				beginning.run();
			}
		}

		@Override
		public Object contextual(Object context) {
			return BoundLocks.with(context,
					inside(LockedCall.this.surrounding, this.frames.stream().map(BoundLocks.Frame::handle).toList()));
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return LockedCall.this.task.start(this.locks.lock());
		}

		@Override
		public @Nullable CompletionStage<?> interruption() {
			return HeldLock.loss(this.locks.own());
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			this.frames.forEach(BoundLocks.Frame::leave);
			return this.locks.release();
		}

	}

}
