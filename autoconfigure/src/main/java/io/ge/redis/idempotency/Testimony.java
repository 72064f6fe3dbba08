/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The trace of one call in the database: a row in the transaction that has its effect,
 * written just before the commit. By then the result is usually known; it is recorded
 * after all that the transaction still holds back was written, so that entities look as
 * the caller will see them.
 * <p>
 * That transaction is the one that advice of the method has begun before it was reached;
 * else that of the caller; else the first one in the method that commits. One within
 * another says nothing about the effect as a whole, so it gets no row, and neither does
 * one that only reads, or that is of another database.
 */
final class Testimony {

	private static final Log logger = LogFactory.getLog(Testimony.class);

	private final Witness witness;

	private final Claim.Granted claim;

	private final String id;

	private final Progress progress;

	private final Function<@Nullable Object, Recording> recorder;

	private final boolean joined;

	private @Nullable Entry chosen;

	private boolean ownChosen;

	private boolean tookPart;

	private boolean committed;

	private boolean inDoubt;

	private @Nullable Object recorded;

	private @Nullable Recording recording;

	private boolean looked;

	private @Nullable WitnessRow found;

	private Testimony(Witness witness, Claim.Granted claim, String id, Progress progress,
			Function<@Nullable Object, Recording> recorder, boolean joined) {
		this.witness = witness;
		this.claim = claim;
		this.id = id;
		this.progress = progress;
		this.recorder = recorder;
		this.joined = joined;
	}

	/**
	 * Begins a testimony, to be called before the method runs.
	 * @param witness where rows are kept
	 * @param claim the call
	 * @param id stands for operation, scope and key
	 * @param progress how far the call has come
	 * @param recorder records results
	 */
	static Testimony begin(Witness witness, Claim.Granted claim, String id, Progress progress,
			Function<@Nullable Object, Recording> recorder) {
		boolean joined = TransactionSynchronizationManager.isSynchronizationActive()
				&& !TransactionSynchronizationManager.isCurrentTransactionReadOnly() && witness.isInTransaction();
		Testimony testimony = new Testimony(witness, claim, id, progress, recorder, joined);
		if (joined) {
			testimony.choose(false, null);
		}
		return testimony;
	}

	/**
	 * A transaction has begun on the thread of the call.
	 * @param transaction the transaction
	 * @param outermost whether it is in no other one of this call
	 */
	void transactionBegun(TransactionExecution transaction, boolean outermost) {
		if (this.committed || !TransactionSynchronizationManager.isSynchronizationActive()
				|| !this.witness.isInTransaction()) {
			return;
		}
		if (!this.progress.isReached() && !this.ownChosen) {
			choose(true, transaction);
		}
		else if (this.chosen == null && outermost) {
			choose(false, transaction);
		}
	}

	private void choose(boolean own, @Nullable TransactionExecution transaction) {
		Entry entry = new Entry(transaction);
		TransactionSynchronizationManager.registerSynchronization(entry);
		this.chosen = entry;
		this.ownChosen = own;
		this.tookPart = true;
	}

	/**
	 * Records what the call has returned; only once if that stands in a row already.
	 */
	Recording record(@Nullable Object result) {
		if (this.recording == null || this.recorded != result) {
			this.recording = this.recorder.apply(result);
			this.recorded = result;
		}
		return this.recording;
	}

	/**
	 * Whether the row of this call is committed, as far as its transaction has said.
	 */
	boolean isCommitted() {
		return this.committed;
	}

	/**
	 * Whether the effect is in a transaction of the caller.
	 */
	boolean isJoined() {
		return this.joined;
	}

	/**
	 * Looks what stands in the database, after a call that has not come to a good end:
	 * its effect may be there all the same, and so may that of another call.
	 * @return the row of this or another call, or {@code null} if there is none, or none
	 * is to be expected
	 */
	@Nullable WitnessRow find() {
		if (!this.looked && this.tookPart && this.progress.isReached()) {
			this.looked = true;
			try {
				this.found = this.witness.find(this.id, this.inDoubt);
			}
			catch (RuntimeException ex) {
				logger.warn("Cannot see whether the " + this.claim.request() + " has had its effect: " + ex);
			}
		}
		return this.found;
	}

	/**
	 * Returns the row of another call with the same key, if a look has shown one.
	 */
	@Nullable WitnessRow foundOfAnother() {
		return (this.found != null && this.found.fence() != this.claim.handle().fence()) ? this.found : null;
	}

	private WitnessRow row() {
		Recording known = this.recording;
		if (known == null && this.progress.hasReturned()) {
			known = record(this.progress.result());
		}
		return new WitnessRow(this.id, this.claim.request().settings().name(), this.claim.handle().fence(),
				this.claim.request().fingerprint(), (known instanceof Recording.Stored stored) ? stored.bytes() : null);
	}

	/**
	 * The part of one transaction.
	 */
	private final class Entry implements TransactionSynchronization {

		private final @Nullable TransactionExecution transaction;

		private final Set<Object> ownSavepoints = new HashSet<>();

		private boolean undone;

		Entry(@Nullable TransactionExecution transaction) {
			this.transaction = transaction;
		}

		@Override
		public void savepoint(Object savepoint) {
			this.ownSavepoints.add(savepoint);
		}

		@Override
		public void savepointRollback(Object savepoint) {
			if (!this.ownSavepoints.contains(savepoint)) {
				this.undone = true;
			}
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (Testimony.this.chosen == this && Testimony.this.progress.isReached() && !this.undone) {
				writeWhatIsHeldBack();
				Testimony.this.witness.write(row(), Testimony.this.claim.request().settings().ttl());
			}
		}

		// An entity gets its version, and what its callbacks set, when it is written
		private void writeWhatIsHeldBack() {
			if (Testimony.this.progress.hasReturned() && this.transaction instanceof TransactionStatus status) {
				status.flush();
			}
		}

		@Override
		public void afterCompletion(int status) {
			if (Testimony.this.chosen == this) {
				Testimony.this.committed = status == STATUS_COMMITTED && !this.undone
						&& Testimony.this.progress.isReached();
				Testimony.this.chosen = null;
				Testimony.this.ownChosen = false;
				Testimony.this.inDoubt = status == STATUS_UNKNOWN;
				if (!Testimony.this.committed) {
					// What is tried again may have another result
					Testimony.this.recording = null;
					Testimony.this.recorded = null;
				}
			}
		}

	}

}
