// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.ge.redis.core.call.AbandonedException;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.transaction.SubscriberTransactions;
import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Completed;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Ending;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Granted;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The work of a call that has claimed its key. Decides what the call leaves behind when
 * the method has ended, its exchange has a response, and the caller's transaction, if
 * any, has ended. It runs on the thread of the last of these.
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
final class CallCompletion extends IdempotentCall.Bound implements IdempotentExchange.Completion {

	/** For the end of a transaction that a failed call has left open. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final Granted claim;

	private final @Nullable StoredExceptions exceptions;

	private final @Nullable IdempotentExchange exchange;

	private final StreamCodec.@Nullable Recorder stream;

	private final Function<@Nullable Object, Recording> values;

	private final AtomicInteger suspensions = new AtomicInteger();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final AtomicBoolean settled = new AtomicBoolean();

	private @Nullable Object result;

	private @Nullable Throwable failure;

	private @Nullable TransactionalRecord other;

	private boolean abandoned;

	private boolean committed;

	private boolean begun;

	private boolean leftCaller;

	private volatile boolean running = true;

	private volatile boolean unanswered;

	private RecordKind kind = RecordKind.VALUE;

	private volatile @Nullable Recording recording;

	private final boolean joined;

	private volatile @Nullable Integer callersStatus;

	/** Whether the claim ends with this work, whose caller waits for that. */
	private volatile boolean waitedFor;

	private volatile @Nullable Runnable publishing;

	/**
	 * To be created before the method runs.
	 */
	CallCompletion(IdempotentCall call, Granted claim, @Nullable TransactionalRecords records) {
		super(call, claim.fence());
		this.claim = claim;
		this.exceptions = call.action.exceptions();
		this.exchange = call.action.exchange();
		this.stream = (call.action.codec() instanceof StreamCodec codec) ? codec.new Recorder() : null;
		CallRecord row = (records != null) ? new CallRecord(records, claim, this.progress, call::recorded) : null;
		this.record = row;
		this.values = (row != null) ? row::record : call::recorded;
		call.completion = this;
		OfCaller participant = new OfCaller(call.subscriber != null);
		TransactionSynchronizationManager reactive = (call.subscriber != null)
				? SubscriberTransactions.find(call.subscriber) : null;
		if (reactive != null) {
			SubscriberTransactions.join(reactive, participant);
		}
		this.joined = reactive != null || (call.subscriber == null && ThreadTransactions.join(participant));
		if (this.joined && this.transactions.isPlain()) {
			this.progress.calledWithin(participant);
		}
		this.waitedFor = this.exchange == null && !this.joined;
		if (this.exchange != null) {
			this.exchange.capture(this);
		}
	}

	@Override
	boolean isWatched() {
		return true;
	}

	@Override
	public @Nullable Object start() throws Throwable {
		Object promise = super.start();
		return (this.stream != null && promise != null) ? this.call.form.observed(promise, this.stream::add) : promise;
	}

	@Override
	public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		super.end(value, failure);
		this.transactions.methodEnded();
		if (failure == null) {
			this.result = (this.stream != null) ? this.stream : value;
			return left();
		}
		if (this.call.form.isPlain() || !this.transactions.isOpen()) {
			return failed(failure);
		}
		// Such as a rollback after the subscriber has cancelled
		return this.transactions.awaitEnd()
			.completeOnTimeout(null, PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
			.thenCompose((nothing) -> failed(failure));
	}

	private CompletionStage<?> failed(Throwable thrown) {
		if (!(thrown instanceof AbandonedException)) {
			this.failure = thrown;
			return left();
		}
		// A response, if any, is not its own, and the method may still run
		this.waitedFor = false;
		this.abandoned = true;
		if (this.call.form.kind() == ResultForm.Kind.MULTIPLE) {
			this.call.warnOnce("A subscriber of @Idempotent '" + this.call.name()
					+ "' has cancelled its publisher before the end, as take(n) and next() do, so the outcome of the"
					+ " call is unknown. Take all values, such as with collectList(), before choosing some.", "");
		}
		return left();
	}

	private CompletionStage<?> left() {
		this.committed = this.transactions.hasCommitted();
		this.begun = this.transactions.hasBegun();
		this.leftCaller = this.transactions.hasLeftCaller(this.suspensions.get());
		this.running = false;
		this.other = (this.failure != null && this.record != null) ? this.record.findOfAnother() : null;
		if (this.abandoned || this.other != null) {
			return end(new Recording.Failed(), RecordKind.VALUE);
		}
		// When both the method and the exchange have ended, the later one ends the claim
		return (this.exchange == null || this.unanswered) ? unanswered() : DONE;
	}

	/**
	 * Leaves the claim to its release.
	 */
	void discard() {
		this.settled.set(true);
	}

	@Override
	public void publishCompletion() {
		Runnable publish = this.publishing;
		if (publish != null) {
			publish.run();
		}
	}

	@Override
	public @Nullable Object recover(Throwable failure) throws Throwable {
		if (this.other == null) {
			throw failure;
		}
		return this.call.replay(this.claim.request(), this.other);
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
		return conclude(decide(known));
	}

	private CompletionStage<?> conclude(Ending ending) {
		CallRecord row = this.record;
		Ending known = (row != null) ? row.correct(ending) : ending;
		if (row != null && known instanceof Completed completed && completed.fingerprint() != null) {
			Waiting.await(this.call.engine().end(this.claim, known));
			if (row.isJoined()) {
				this.call.publish(Outcome.LEASE_LOST);
			}
			return DONE;
		}
		boolean hasRow = row != null && row.isCommitted();
		return this.waitedFor
				? this.call.ended(this.claim, known, hasRow).thenAccept((publish) -> this.publishing = publish)
				: this.call.end(this.claim, known, hasRow);
	}

	private Ending decide(Recording recording) {
		boolean apart = this.progress.isApart() || this.transactions.isApart();
		Integer status = apart ? null : this.callersStatus;
		boolean succeeded = recording instanceof Recording.Stored || recording instanceof Recording.Lost;
		if (succeeded && (status == null || status == TransactionSynchronization.STATUS_COMMITTED)) {
			return new Completed((recording instanceof Recording.Stored stored) ? stored.bytes() : null, this.kind,
					null);
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
				|| (this.claim.request().settings().onFailureWithoutTransaction() == FailureWithoutTransaction.RELEASE
						&& !this.abandoned);
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
