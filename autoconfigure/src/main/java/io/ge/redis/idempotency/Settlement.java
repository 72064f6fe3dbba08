/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Decides what a call leaves behind, once the method has ended, what it answers is known,
 * and, if the call was made within a transaction, that has ended too; whichever comes
 * last, on its thread.
 * <p>
 * A key is freed only if nothing is known to be committed; where the response asks for
 * another attempt, only if nothing can have been, unseen. What the caller's transaction
 * rolls back includes the effect of this call, be it all of it or up to a savepoint that
 * was set before the call. What ran with the caller's transaction set aside and none in
 * its place is not rolled back with it.
 */
final class Settlement {

	private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);

	private final FailureWithoutTransaction policy;

	private final Function<Ending, CompletionStage<?>> conclusion;

	private final AtomicInteger suspensions = new AtomicInteger();

	private final AtomicBoolean settled = new AtomicBoolean();

	private RecordKind kind = RecordKind.VALUE;

	private boolean reached;

	private boolean committed;

	private boolean begun;

	private boolean missed;

	private boolean leftCaller;

	private boolean abandoned;

	private volatile boolean joined;

	private volatile boolean left;

	private volatile @Nullable Recording recording;

	private volatile @Nullable Integer callersStatus;

	/**
	 * Creates a settlement.
	 * @param policy for failures without transaction
	 * @param conclusion takes the decision
	 */
	Settlement(FailureWithoutTransaction policy, Function<Ending, CompletionStage<?>> conclusion) {
		this.policy = policy;
		this.conclusion = conclusion;
	}

	/**
	 * Awaits the end of the transaction of this thread, if there is one. To be called
	 * before the method runs.
	 */
	void joinThread() {
		if (ThreadTransactions.join(new OfThread())) {
			join();
		}
	}

	/**
	 * Awaits the end of the caller's transaction.
	 */
	void join() {
		this.joined = true;
	}

	/**
	 * Returns whether the end of the caller's transaction may come last.
	 */
	boolean isJoined() {
		return this.joined;
	}

	/**
	 * The method has ended.
	 * @param progress whether it was reached at all
	 * @param transactions what was begun in it
	 * @param abandoned whether nobody waits for it any more, and it may still run
	 */
	void left(Progress progress, BegunTransactions transactions, boolean abandoned) {
		this.reached = progress.isReached();
		this.committed = transactions.hasCommitted();
		this.begun = transactions.hasBegun();
		this.missed = transactions.mayHaveMissed();
		this.leftCaller = transactions.hasLeftCaller(this.suspensions.get());
		this.abandoned = abandoned;
		this.left = true;
	}

	/**
	 * The call has ended.
	 * @param recording what its result means
	 * @param kind what kind of result it is
	 * @return completes when that is settled, as far as it can be now
	 */
	CompletionStage<?> ended(Recording recording, RecordKind kind) {
		this.kind = kind;
		this.recording = recording;
		return settle();
	}

	/**
	 * The caller's transaction was set aside, for another one or for none at all.
	 */
	void callerSuspended() {
		if (!this.left) {
			this.suspensions.incrementAndGet();
		}
	}

	/**
	 * The caller's transaction has ended.
	 * @param status how, by the constants of Spring's synchronizations
	 * @return completes when that is settled, as far as it can be now
	 */
	CompletionStage<?> callerCompleted(int status) {
		this.callersStatus = status;
		return settle();
	}

	/**
	 * The call was taken back before it began.
	 */
	void discard() {
		this.settled.set(true);
	}

	private CompletionStage<?> settle() {
		Recording ended = this.recording;
		if (ended == null || (this.joined && this.callersStatus == null) || !this.settled.compareAndSet(false, true)) {
			return DONE;
		}
		return this.conclusion.apply(decide(ended));
	}

	private Ending decide(Recording recording) {
		boolean succeeded = recording instanceof Recording.Stored || recording instanceof Recording.Lost;
		if (succeeded
				&& (this.callersStatus == null || this.callersStatus == TransactionSynchronization.STATUS_COMMITTED)) {
			return new Ending.Complete((recording instanceof Recording.Stored stored) ? stored.bytes() : null,
					this.kind, null);
		}
		return isNothingCommitted(recording) ? new Ending.Release() : new Ending.Unknown();
	}

	private boolean isNothingCommitted(Recording recording) {
		if (this.committed) {
			return false;
		}
		if (!this.reached) {
			return true;
		}
		if (this.callersStatus != null) {
			return this.callersStatus == TransactionSynchronization.STATUS_ROLLED_BACK && !this.leftCaller;
		}
		return this.begun || (recording instanceof Recording.Retryable && !this.missed)
				|| (this.policy == FailureWithoutTransaction.RELEASE && !this.abandoned);
	}

	/**
	 * Awaits the end of the transaction of a thread.
	 */
	private final class OfThread implements TransactionParticipant {

		/**
		 * After the {@link Testimony}, which joins before and knows then what has become
		 * of its row.
		 */
		@Override
		public int order() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void suspended() {
			callerSuspended();
		}

		// Who has a result later does not keep the transaction's thread
		@Override
		public CompletionStage<?> completed(int status) {
			callerCompleted(status);
			return DONE;
		}

	}

}
