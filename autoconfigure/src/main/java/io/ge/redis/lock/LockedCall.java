/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.transaction.SubscriberTransactions;
import org.jspecify.annotations.Nullable;

/**
 * Work under a lock. It belongs to the call chain of its caller: of the thread, of the
 * subscriber, and of their transaction. Their locks are entered again, and are kept for
 * this work, which may outlive the section of the call that has taken them.
 */
final class LockedCall implements GuardedCall<Entered> {

	private final LockEntrance locks;

	private final Task task;

	/** The locks under which the call is made, innermost last. */
	private LockContext.Carrier surrounding = LockContext.capture();

	/** Also those that are only kept for a transaction. */
	private final List<LockHandle> held = new ArrayList<>(LockContext.handles());

	private boolean subscribed;

	private @Nullable KeptLocks transaction;

	/** Of the transaction, if that is bound to one. */
	private @Nullable Thread thread;

	private volatile @Nullable CompletableFuture<Entered> asked;

	LockedCall(LockEntrance locks, Task task) {
		this.locks = locks;
		this.task = task;
	}

	@Override
	public void subscribed(Object context) {
		this.subscribed = true;
		LockContext.Carrier carried = LockContext.capture(context);
		this.surrounding = this.surrounding.with(carried.handles());
		this.held.addAll(carried.handles());
		this.transaction = SubscriberTransactions.participant(context, KeptLocks.class, KeptLocks::new);
	}

	@Override
	public CompletableFuture<Entered> ask() {
		if (!this.subscribed) {
			// A publisher is not in the transaction of the thread that subscribes
			this.transaction = LockTransactions.kept();
			this.thread = Thread.currentThread();
		}
		if (this.transaction != null) {
			this.held.addAll(this.transaction.locks());
		}
		CompletableFuture<Entered> asking = this.locks.enter(this.task.settings(), this.task.keys(),
				this.task.isTogether(), this::enterAgain);
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
		return (this.asked instanceof Entering entering) ? entering.interrupted(interrupt)
				: new LockInterruptedException(this.task.settings().name(), interrupt);
	}

	private @Nullable HeldLock enterAgain(RedisLockKey key) {
		for (int i = this.held.size() - 1; i >= 0; i--) {
			if (this.held.get(i) instanceof HeldLock lock && this.locks.isOf(lock, key) && lock.join()) {
				return lock;
			}
		}
		return null;
	}

	@Override
	public Work decide(Entered entered) throws Throwable {
		Entry entry;
		try {
			entry = entered.take();
		}
		catch (LockNotAcquiredException ex) {
			return this.task.refused(ex);
		}
		catch (RedisUnavailableException ex) {
			if (!this.task.isDoneWithoutLock()) {
				return this.task.undecided(ex);
			}
			entry = Entry.none(this.task.settings().name());
		}
		return new Locked(entry);
	}

	/**
	 * Keeps the locks for the transaction, whose other calls enter them again.
	 */
	private void keep(Entry entry, KeptLocks kept) {
		kept.keep(entry);
		if (Thread.currentThread() == this.thread) {
			kept.bind(entry.held());
		}
	}

	@Override
	public void giveBack(Entered entered) {
		entered.giveBack();
	}

	/**
	 * The work under the lock.
	 */
	interface Task {

		LockSettings settings();

		/**
		 * Returns what is locked.
		 */
		List<List<String>> keys();

		/**
		 * Returns whether it is several keys that are locked together.
		 */
		boolean isTogether();

		/**
		 * Returns whether it is done without lock while Redis is away.
		 */
		boolean isDoneWithoutLock();

		/**
		 * Starts it.
		 * @return the result, or the promise of it
		 * @throws Throwable what the work throws
		 */
		@Nullable Object start(LockHandle lock) throws Throwable;

		/**
		 * Decides what is done in its place.
		 * @throws LockNotAcquiredException the refusal, if nothing is
		 */
		default Work refused(LockNotAcquiredException refusal) {
			throw refusal;
		}

		/**
		 * Decides what is done in its place while Redis does not decide.
		 * @throws RedisUnavailableException the outage, unless nothing is
		 */
		default Work undecided(RedisUnavailableException outage) {
			throw outage;
		}

	}

	/**
	 * Work under the lock.
	 */
	private final class Locked implements Work {

		private final Entry entry;

		private final List<LockContext.Frame> frames = new ArrayList<>(2);

		Locked(Entry entry) {
			this.entry = entry;
			for (HeldLock lock : entry.held()) {
				this.frames.add(LockContext.frame(lock));
			}
			if (this.frames.size() != 1 || this.frames.get(0).handle() != entry.lock()) {
				// The handle that the work sees is the innermost
				this.frames.add(LockContext.frame(entry.lock()));
			}
		}

		@Override
		public void begin(Beginning beginning) throws Throwable {
			if (LockedCall.this.transaction != null) {
				keep(this.entry, LockedCall.this.transaction);
			}
			try (LockContext.Scope scope = LockContext.bind(LockedCall.this.surrounding, this.frames)) {
				beginning.run();
			}
		}

		@Override
		public Object contextual(Object context) {
			return SubscriberContext.with(context, LockContext.KEY,
					LockedCall.this.surrounding.with(this.frames.stream().map(LockContext.Frame::handle).toList()));
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return LockedCall.this.task.start(this.entry.lock());
		}

		@Override
		public @Nullable CompletionStage<?> interruption() {
			return HeldLock.loss(this.entry.own());
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			this.frames.forEach(LockContext.Frame::leave);
			return this.entry.release();
		}

	}

}
