/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;

/**
 * The locks that a transaction keeps until it has completed, whoever gives them up
 * before. It may complete on another thread than the one that takes them.
 */
final class KeptLocks implements TransactionParticipant {

	private final Lock guard = new ReentrantLock();

	private final List<HeldLock> locks = new ArrayList<>(1);

	private final @Nullable Integer isolation;

	/** Frames that other calls of the transaction find on its thread. */
	private final List<LockContext.Frame> frames = new ArrayList<>(0);

	private volatile BooleanSupplier ended = () -> false;

	private boolean over;

	/**
	 * Creates it.
	 * @param isolation the isolation level of the transaction, if it declares one
	 */
	KeptLocks(@Nullable Integer isolation) {
		this.isolation = isolation;
	}

	/**
	 * Keeps a lock that was taken inside the transaction, unless that is over.
	 */
	void keep(HeldLock lock) {
		this.guard.lock();
		try {
			if (!this.over && !this.locks.contains(lock) && lock.keep(this)) {
				this.locks.add(lock);
			}
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Keeps the locks of an entry, and warns of those that come too late.
	 */
	void keep(Entry entry) {
		entry.own().forEach((lock) -> LockTransactions.warnIfOlder(lock.name(), this.isolation));
		entry.held().forEach(this::keep);
	}

	/**
	 * Lets other calls on this thread, which is the transaction's, enter locks again.
	 */
	void bind(List<HeldLock> held) {
		for (HeldLock lock : held) {
			LockContext.Frame frame = LockContext.keep(lock);
			if (frame != null) {
				this.frames.add(frame);
			}
		}
	}

	/**
	 * Takes back what {@link #bind} has done; what another transaction has bound stays.
	 */
	private void unbind() {
		this.frames.forEach(LockContext::leave);
		this.frames.clear();
	}

	/**
	 * Returns the locks that are kept.
	 */
	List<HeldLock> locks() {
		this.guard.lock();
		try {
			return List.copyOf(this.locks);
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Vetoes the commit if a lock is lost.
	 * @throws LockLostException if the transaction must not be committed
	 */
	void assertMayCommit() {
		locks().forEach(HeldLock::assertMayCommit);
	}

	@Override
	public void joined(BooleanSupplier over) {
		this.ended = over;
	}

	/**
	 * Gives up the locks if the transaction has ended and nobody was told.
	 */
	void giveUpIfOver() {
		if (this.ended.getAsBoolean()) {
			giveUp();
		}
	}

	@Override
	public CompletionStage<?> beforeCommit() {
		assertMayCommit();
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Lets others in when everybody else has seen to the end of the transaction.
	 */
	@Override
	public int order() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public boolean isLast() {
		return true;
	}

	@Override
	public CompletionStage<?> completed(int status) {
		unbind();
		return giveUp();
	}

	/**
	 * Gives up the locks, since the transaction has completed.
	 * @return completes, never exceptionally, when nobody is kept from anything any more
	 */
	CompletableFuture<Void> giveUp() {
		List<HeldLock> kept;
		this.guard.lock();
		try {
			this.over = true;
			kept = List.copyOf(this.locks);
			this.locks.clear();
		}
		finally {
			this.guard.unlock();
		}
		return HeldLocks.giveUp(kept, (lock) -> lock.letGo(this));
	}

}
