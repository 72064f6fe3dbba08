// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Decides what a call leaves behind. It decides when the method has ended, its exchange
 * has a response, and the caller's transaction, if any, has ended. It runs on the thread
 * of the last of these.
 * <p>
 * The response is kept as it is, with two exceptions. If rendering it has failed after
 * the method had returned, the value is kept. If advice around the guard has answered in
 * the place of an exception, the call has failed.
 * <p>
 * A key is freed only if no commit was observed. Where the response asks for another
 * attempt, an unobserved commit must be impossible, too. A rollback of the caller's
 * transaction, or to a savepoint before the method, undoes the effect of this call. Work
 * that ran without a transaction while that one was suspended is not undone. A method
 * that ran as a whole while the caller's transaction was suspended does not depend on it.
 */
final class CallCompletion implements IdempotentExchange.Completion {

	private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);

	private final FailureWithoutTransaction policy;

	private final Progress progress;

	private final CallTransactions transactions;

	private final Function<@Nullable Object, Recording> values;

	private final @Nullable StoredExceptions exceptions;

	private final Function<IdempotencyDecision.Ending, CompletionStage<?>> conclusion;

	private final AtomicInteger suspensions = new AtomicInteger();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final AtomicBoolean settled = new AtomicBoolean();

	private @Nullable Object result;

	private @Nullable Throwable failure;

	private boolean abandoned;

	private boolean committed;

	private boolean begun;

	private boolean leftCaller;

	private volatile boolean running = true;

	private volatile boolean unanswered;

	private RecordKind kind = RecordKind.VALUE;

	private volatile @Nullable Recording recording;

	private volatile boolean joined;

	private volatile @Nullable Integer callersStatus;

	CallCompletion(FailureWithoutTransaction policy, Progress progress, CallTransactions transactions,
			Function<@Nullable Object, Recording> values, @Nullable StoredExceptions exceptions,
			Function<IdempotencyDecision.Ending, CompletionStage<?>> conclusion) {
		this.policy = policy;
		this.progress = progress;
		this.transactions = transactions;
		this.values = values;
		this.exceptions = exceptions;
		this.conclusion = conclusion;
	}

	/**
	 * To be called before the method runs.
	 * @param subscriber its context, or {@code null} if the caller is this thread
	 */
	void join(@Nullable Object subscriber) {
		OfCaller participant = new OfCaller(subscriber != null);
		this.joined = (subscriber != null) ? Subscribers.join(subscriber, participant)
				: ThreadTransactions.join(participant);
		if (this.joined && this.transactions.isPlain()) {
			this.progress.calledWithin(participant);
		}
	}

	boolean isJoined() {
		return this.joined;
	}

	void discard() {
		this.settled.set(true);
	}

	void returned(@Nullable Object result) {
		this.result = result;
		left();
	}

	void threw(Throwable failure) {
		this.failure = failure;
		left();
	}

	/**
	 * The call was abandoned: a response, if any, is not its own, and the method may
	 * still run.
	 */
	CompletionStage<Boolean> abandoned() {
		this.abandoned = true;
		left();
		return superseded();
	}

	CompletionStage<Boolean> superseded() {
		return end(new Recording.Failed(), RecordKind.VALUE);
	}

	private void left() {
		this.committed = this.transactions.hasCommitted();
		this.begun = this.transactions.hasBegun();
		this.leftCaller = this.transactions.hasLeftCaller(this.suspensions.get());
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isFinal() {
		return isOutcome(this.failure);
	}

	@Override
	public @Nullable Throwable failure() {
		return this.failure;
	}

	private boolean isOutcome(@Nullable Throwable failure) {
		return this.exceptions != null && failure != null && this.progress.isReached()
				&& this.exceptions.contains(failure);
	}

	@Override
	public CompletionStage<Boolean> answered(Recording response, boolean failed) {
		if (this.running) {
			return unanswered();
		}
		// Of the value alone if the failure is not the method's
		boolean own = (this.failure != null) ? failed && this.progress.isReached() : !failed;
		boolean kept = !(response instanceof Recording.Failed) || !isFinal();
		return (own && kept) ? end(response, RecordKind.EXCHANGE) : unanswered();
	}

	@Override
	public CompletionStage<Boolean> unanswered() {
		this.unanswered = true;
		if (this.running || this.ended.get()) {
			return CompletableFuture.completedFuture(false);
		}
		Throwable thrown = this.failure;
		if (thrown == null) {
			return end(this.values.apply(this.result), RecordKind.VALUE);
		}
		return (this.exceptions != null && isOutcome(thrown))
				? end(this.exceptions.record(thrown), RecordKind.EXCEPTION)
				: end(new Recording.Failed(), RecordKind.EXCEPTION);
	}

	/**
	 * Returns whether no answer will follow any more. When both the method and the
	 * exchange have ended, the later one ends the claim.
	 */
	boolean isUnanswered() {
		return this.unanswered;
	}

	private CompletionStage<Boolean> end(Recording recording, RecordKind kind) {
		if (this.running || !this.ended.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(false);
		}
		this.kind = kind;
		this.recording = recording;
		return settle().thenApply((settled) -> true);
	}

	private CompletionStage<?> settle() {
		Recording known = this.recording;
		if (known == null || (this.joined && this.callersStatus == null) || !this.settled.compareAndSet(false, true)) {
			return DONE;
		}
		return this.conclusion.apply(decide(known));
	}

	private IdempotencyDecision.Ending decide(Recording recording) {
		boolean apart = this.progress.isApart() || this.transactions.isApart();
		Integer status = apart ? null : this.callersStatus;
		boolean succeeded = recording instanceof Recording.Stored || recording instanceof Recording.Lost;
		if (succeeded && (status == null || status == TransactionSynchronization.STATUS_COMMITTED)) {
			return new IdempotencyDecision.Completed(
					(recording instanceof Recording.Stored stored) ? stored.bytes() : null, this.kind, null);
		}
		return isNothingCommitted(recording, status) ? new IdempotencyDecision.Release()
				: new IdempotencyDecision.Unknown();
	}

	private boolean isNothingCommitted(Recording recording, @Nullable Integer status) {
		if (this.committed) {
			return false;
		}
		if (!this.progress.isReached()) {
			return true;
		}
		if (status != null) {
			return (status == TransactionSynchronization.STATUS_ROLLED_BACK || this.progress.isUndone())
					&& !this.leftCaller;
		}
		return this.begun || (recording instanceof Recording.Retryable && !this.transactions.mayHaveMissed())
				|| (this.policy == FailureWithoutTransaction.RELEASE && !this.abandoned);
	}

	final class OfCaller implements TransactionParticipant {

		private final boolean subscribed;

		private OfCaller(boolean subscribed) {
			this.subscribed = subscribed;
		}

		boolean isOf(CallTransactions call) {
			return CallCompletion.this.transactions == call;
		}

		/**
		 * After the {@link CallRecord}, which joins before and knows the state of its row
		 * then.
		 */
		@Override
		public int order() {
			return this.subscribed ? TransactionParticipant.super.order() : Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void suspended() {
			if (CallCompletion.this.running) {
				CallCompletion.this.suspensions.incrementAndGet();
			}
		}

		@Override
		public void savepoint(Object savepoint) {
			if (CallCompletion.this.running) {
				CallCompletion.this.progress.savepoint(savepoint);
			}
		}

		@Override
		public void rolledBackTo(Object savepoint) {
			if (CallCompletion.this.running) {
				CallCompletion.this.progress.rolledBackTo(savepoint);
			}
		}

		// An asynchronous call does not keep the thread of the transaction
		@Override
		public CompletionStage<?> completed(int status) {
			CallCompletion.this.callersStatus = status;
			CompletionStage<?> settling = settle();
			return this.subscribed ? settling : DONE;
		}

	}

}
