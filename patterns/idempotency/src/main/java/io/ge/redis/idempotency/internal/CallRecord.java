// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.lang.ref.WeakReference;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

import io.ge.redis.idempotency.spi.Recording;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactional record of one call: a row in the transaction that has its effect. It
 * is written just before the commit, when the result is usually known. Writes that the
 * transaction still holds back come first, so that entities are in the state that the
 * caller will see.
 * <p>
 * That transaction is the one that advice of the method has begun before it was reached;
 * else the transaction of the caller; else the first one in the method that commits.
 * Nested ones, read-only ones and those of other databases get no row.
 */
final class CallRecord {

	private static final Log logger = LogFactory.getLog(CallRecord.class);

	private final TransactionalRecords records;

	private final IdempotencyDecision.Granted claim;

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

	private @Nullable TransactionalRecord found;

	public CallRecord(TransactionalRecords records, IdempotencyDecision.Granted claim, Progress progress,
			Function<@Nullable Object, Recording> recorder) {
		this.records = records;
		this.claim = claim;
		this.progress = progress;
		this.recorder = recorder;
		this.joined = TransactionSynchronizationManager.isSynchronizationActive()
				&& !TransactionSynchronizationManager.isCurrentTransactionReadOnly() && records.isInTransaction();
		if (this.joined) {
			choose(false, null);
		}
	}

	void transactionBegun(@Nullable TransactionExecution transaction, boolean outermost) {
		if (this.committed || !TransactionSynchronizationManager.isSynchronizationActive()
				|| !this.records.isInTransaction()) {
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

	public Recording record(@Nullable Object result) {
		if (this.recording == null || this.recorded != result) {
			this.recording = this.recorder.apply(result);
			this.recorded = result;
		}
		return this.recording;
	}

	public boolean isCommitted() {
		return this.committed;
	}

	public boolean isJoined() {
		return this.joined;
	}

	public IdempotencyDecision.Ending correct(IdempotencyDecision.Ending ending) {
		TransactionalRecord row = (ending instanceof IdempotencyDecision.Completed) ? null : find();
		if (row == null) {
			return ending;
		}
		if (isOfAnother(row)) {
			return new IdempotencyDecision.Completed(row.result(), RecordKind.VALUE, row.fingerprint());
		}
		return (row.result() != null) ? new IdempotencyDecision.Completed(row.result())
				: new IdempotencyDecision.Unknown();
	}

	public @Nullable TransactionalRecord findOfAnother() {
		TransactionalRecord row = this.joined ? null : find();
		return (row != null && isOfAnother(row)) ? row : null;
	}

	private boolean isOfAnother(TransactionalRecord row) {
		return row.fence() != this.claim.fence();
	}

	private @Nullable TransactionalRecord find() {
		if (!this.looked && this.tookPart && this.progress.isReached()) {
			this.looked = true;
			try {
				this.found = this.records.find(this.claim.id(), this.inDoubt);
			}
			catch (RuntimeException ex) {
				logger.warn("Cannot determine whether the " + this.claim.request() + " has had its effect: " + ex);
			}
		}
		return this.found;
	}

	private TransactionalRecord row() {
		Recording known = this.recording;
		if (known == null && this.progress.hasReturned()) {
			known = record(this.progress.result());
		}
		return new TransactionalRecord(this.claim.id(), this.claim.request().settings().name(), this.claim.fence(),
				this.claim.request().fingerprint(), (known instanceof Recording.Stored stored) ? stored.bytes() : null);
	}

	private final class Entry implements TransactionSynchronization {

		/** Weakly, since a transaction whose end is not reported must not be kept. */
		private final WeakReference<@Nullable TransactionExecution> transaction;

		private final Set<Object> ownSavepoints = new HashSet<>();

		private boolean undone;

		Entry(@Nullable TransactionExecution transaction) {
			this.transaction = new WeakReference<>(transaction);
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

		private boolean isUndone() {
			return this.undone || CallRecord.this.progress.isUndone();
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			if (CallRecord.this.chosen == this && CallRecord.this.progress.isReached() && !isUndone()) {
				// An entity gets its version, and what its callbacks set, when it is
				// written
				if (CallRecord.this.progress.hasReturned()
						&& this.transaction.get() instanceof TransactionStatus status) {
					status.flush();
				}
				CallRecord.this.records.write(row(), CallRecord.this.claim.request().settings().ttl());
			}
		}

		@Override
		public void afterCompletion(int status) {
			if (CallRecord.this.chosen == this) {
				CallRecord.this.committed = status == STATUS_COMMITTED && !isUndone()
						&& CallRecord.this.progress.isReached();
				CallRecord.this.chosen = null;
				CallRecord.this.ownChosen = false;
				CallRecord.this.inDoubt = status == STATUS_UNKNOWN;
				if (!CallRecord.this.committed) {
					// A repeated attempt may have another result
					CallRecord.this.recording = null;
					CallRecord.this.recorded = null;
				}
			}
		}

	}

}
