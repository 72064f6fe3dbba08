/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Decides what a call leaves behind, once the method has ended, what it answers is known,
 * and, if the call was made within a transaction, that has ended too.
 * <p>
 * A key is freed only if nothing was committed. What the caller's transaction rolls back
 * includes the effect of this call, be it all of it or up to a savepoint that was set
 * before the call. What ran with the caller's transaction set aside and none in its place
 * is not rolled back with it.
 */
final class Settlement implements TransactionSynchronization {

	private final FailureWithoutTransaction policy;

	private final Consumer<Ending> conclusion;

	private final boolean joined;

	private final Set<Object> ownSavepoints = new HashSet<>();

	private @Nullable Recording recording;

	private RecordKind kind = RecordKind.VALUE;

	private boolean left;

	private boolean reached;

	private boolean committed;

	private boolean begun;

	private boolean rolledBackToSavepoint;

	private int suspensions;

	private boolean leftCaller;

	private @Nullable Integer callersStatus;

	private Settlement(FailureWithoutTransaction policy, Consumer<Ending> conclusion, boolean joined) {
		this.policy = policy;
		this.conclusion = conclusion;
		this.joined = joined;
	}

	/**
	 * Begins a settlement, to be called before the method runs.
	 * @param policy for failures without transaction
	 * @param conclusion takes the decision
	 */
	static Settlement begin(FailureWithoutTransaction policy, Consumer<Ending> conclusion) {
		boolean joined = TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
		Settlement settlement = new Settlement(policy, conclusion, joined);
		if (joined) {
			TransactionSynchronizationManager.registerSynchronization(settlement);
		}
		return settlement;
	}

	/**
	 * The method has ended.
	 * @param progress whether it was reached at all
	 * @param transactions what was begun in it
	 */
	void left(Progress progress, TransactionWatch.Frame transactions) {
		this.left = true;
		this.reached = progress.isReached();
		this.committed = transactions.hasCommitted();
		this.begun = transactions.hasBegun();
		this.leftCaller = this.suspensions > transactions.count();
	}

	/**
	 * The call has ended.
	 * @param recording what its result means
	 * @param kind what kind of result it is
	 */
	void ended(Recording recording, RecordKind kind) {
		this.recording = recording;
		this.kind = kind;
		settle();
	}

	/**
	 * The caller's transaction was set aside, for another one or for none at all.
	 */
	@Override
	public void suspend() {
		if (!this.left) {
			this.suspensions++;
		}
	}

	@Override
	public void savepoint(Object savepoint) {
		this.ownSavepoints.add(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		if (!this.ownSavepoints.contains(savepoint)) {
			this.rolledBackToSavepoint = true;
		}
	}

	@Override
	public void afterCompletion(int status) {
		this.callersStatus = (this.rolledBackToSavepoint && status == STATUS_COMMITTED) ? STATUS_ROLLED_BACK : status;
		settle();
	}

	private void settle() {
		if (this.recording != null && (!this.joined || this.callersStatus != null)) {
			this.conclusion.accept(decide(this.recording));
		}
	}

	private Ending decide(Recording recording) {
		boolean succeeded = recording instanceof Recording.Stored || recording instanceof Recording.Lost;
		if (succeeded && (this.callersStatus == null || this.callersStatus == STATUS_COMMITTED)) {
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
			return this.callersStatus == STATUS_ROLLED_BACK && !this.leftCaller;
		}
		return this.begun || recording instanceof Recording.Retryable
				|| this.policy == FailureWithoutTransaction.RELEASE;
	}

}
