// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.ge.redis.core.call.AbandonedException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Completed;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Granted;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A call of an idempotent operation, in any form of result. It claims its key when it is
 * made or subscribed to; its result is passed on when Redis has it.
 * <p>
 * A call that is abandoned before the method has begun releases the claim. Afterwards the
 * method may still run, so the key is freed only if the transactions around it are known
 * to have been rolled back.
 * <p>
 * Only a plain call leaves a transactional record, since writing it would block.
 */
final class IdempotentCall implements GuardedCall<@Nullable IdempotencyDecision> {

	private static final Log logger = LogFactory.getLog(IdempotentCall.class);

	/** For the end of a transaction that a failed call has left open. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final ResultForm form;

	private final Action action;

	private final Parts parts;

	private @Nullable Object subscriber;

	private @Nullable CallTransactions around;

	private volatile @Nullable KeyedCall asked;

	private volatile @Nullable CallCompletion completion;

	IdempotentCall(ResultForm form, Action action, Parts parts) {
		this.form = form;
		this.action = action;
		this.parts = parts;
	}

	@Override
	public void subscribed(Object context) {
		this.subscriber = context;
	}

	@Override
	public CompletableFuture<@Nullable IdempotencyDecision> ask() {
		this.around = (this.subscriber != null) ? Subscribers.callAround(this.subscriber)
				: this.parts.transactions().current();
		KeyedCall call = this.action.ask();
		this.asked = call;
		if (call == null) {
			return CompletableFuture.completedFuture(null);
		}
		IdempotentExchange exchange = this.form.isPlain() ? null : call.exchange();
		CompletableFuture<@Nullable IdempotencyDecision> claimed = this.parts.engine()
			.claim(call.request(), (exchange != null) ? exchange.ready() : null);
		return (exchange != null && exchange.isAwaitedHere()) ? awaited(call, claimed) : claimed;
	}

	private CompletableFuture<@Nullable IdempotencyDecision> awaited(KeyedCall call,
			CompletableFuture<@Nullable IdempotencyDecision> claimed) {
		try {
			return CompletableFuture.completedFuture(isWaiting(call)
					? Waiting.awaitInterruptibly(claimed, (interrupt) -> inFlight(call)) : Waiting.await(claimed));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public boolean isInterruptible() {
		KeyedCall call = this.asked;
		return call != null && isWaiting(call);
	}

	private static boolean isWaiting(KeyedCall call) {
		return call.request().settings().onDuplicate() == OnDuplicate.WAIT;
	}

	@Override
	public RuntimeException interrupted(InterruptedException interrupt) {
		KeyedCall call = this.asked;
		return (call != null && this.form.isPlain()) ? inFlight(call) : GuardedCall.super.interrupted(interrupt);
	}

	private RuntimeException inFlight(KeyedCall call) {
		return this.parts.outcomes()
			.refuse(call.request(), new IdempotencyDecision.InFlight(call.request().settings().lease()));
	}

	@Override
	public Work decide(@Nullable IdempotencyDecision decision) {
		KeyedCall call = this.asked;
		if (call == null || decision == null) {
			return new Bound(null);
		}
		if (decision instanceof Granted granted) {
			return granted(granted, call);
		}
		if (decision instanceof Completed completed) {
			return () -> replay(call, completed);
		}
		if (decision instanceof IdempotencyDecision.Unavailable unavailable) {
			this.parts.outcomes().requireAllowed(call.request(), unavailable.reason());
			return new Bound(null);
		}
		TransactionalRecord record = (this.form.isPlain() && decision instanceof IdempotencyDecision.Unknown)
				? findReturned(call.request()) : null;
		if (record != null) {
			return () -> replay(call, record);
		}
		throw this.parts.outcomes().refuse(call.request(), decision);
	}

	@Override
	public void release(@Nullable IdempotencyDecision decision) {
		CallCompletion begun = this.completion;
		if (begun != null) {
			begun.discard();
		}
		this.parts.engine().release(decision);
	}

	/**
	 * Finds the record of a call of unknown outcome. If it has a result, the method had
	 * returned, and what failed came after the commit.
	 */
	private @Nullable TransactionalRecord findReturned(IdempotencyRequest request) {
		try {
			TransactionalRecords records = this.parts.records().get();
			TransactionalRecord record = (records != null) ? records.find(this.parts.engine().id(request), false)
					: null;
			return (record != null && record.result() != null) ? record : null;
		}
		catch (RuntimeException ex) {
			logger.warn("Cannot determine whether the " + request + " has had its effect: " + ex);
			return null;
		}
	}

	private @Nullable Object replay(KeyedCall call, TransactionalRecord record) throws Throwable {
		if (!Arrays.equals(record.fingerprint(), call.request().fingerprint())) {
			throw this.parts.outcomes().refuse(call.request(), new IdempotencyDecision.Mismatch());
		}
		return replay(call, new Completed(record.result()));
	}

	private @Nullable Object replay(KeyedCall call, Completed completed) throws Throwable {
		return this.parts.outcomes().replay(call, completed, (result) -> switch (this.form.kind()) {
			case PLAIN -> result;
			case FUTURE -> CompletableFuture.completedFuture(result);
			case SINGLE, MULTIPLE -> this.form.publishing(result);
		});
	}

	private Work granted(Granted claim, KeyedCall call) {
		try {
			if (!this.form.isPlain()) {
				return new Running(claim, call, null);
			}
			// A first call may run without a record, one that takes over may not
			AvailableRecords available = this.parts.records();
			TransactionalRecords records = claim.takenOver() ? available.getDecided() : available.get();
			TransactionalRecord record = (records != null && claim.takenOver()) ? records.find(claim.id(), false)
					: null;
			if (record == null) {
				return new Running(claim, call, records);
			}
			Waiting.await(this.parts.engine().end(claim, new Ending.Complete(record.result(), record.fingerprint())));
			return () -> replay(call, record);
		}
		catch (RuntimeException | Error ex) {
			end(claim, new Ending.Release(), false);
			throw ex;
		}
	}

	// Listeners are the application's, so they do not run on a thread of the driver
	private CompletionStage<?> end(Granted claim, Ending ending, boolean recorded) {
		CompletionStage<Runnable> ended = this.parts.outcomes().end(claim, ending, recorded);
		if (this.form.isPlain()) {
			Waiting.await(ended).run();
			return Work.DONE;
		}
		return this.parts.calls().handOver(ended.toCompletableFuture(), (publishing) -> {
			publishing.run();
			return true;
		}, (publishing) -> {
		});
	}

	record Parts(IdempotencyEngine engine, CallOutcomes outcomes, AvailableRecords records,
			TransactionWatch transactions, GuardedCalls calls) {
	}

	interface Action {

		IdempotencySettings settings();

		/**
		 * Called on the thread and in the scope of the caller; {@code null} without a key
		 * where none is needed.
		 */
		@Nullable KeyedCall ask();

		/**
		 * Begins the work that must happen once.
		 */
		@Nullable Object run(Progress progress) throws Throwable;

		default void end(Progress progress) {
		}

	}

	/**
	 * Work with a context of its own. Without a claim it runs unprotected, also by the
	 * claim of a call around it.
	 */
	private class Bound implements Work {

		final Progress progress = new Progress();

		final CallTransactions transactions = new CallTransactions(IdempotentCall.this.parts.transactions(),
				IdempotentCall.this.form.kind(), IdempotentCall.this.around);

		private final @Nullable Long fence;

		private @Nullable IdempotencyContext context;

		@Nullable CallRecord record;

		Bound(@Nullable Long fence) {
			this.fence = fence;
		}

		@Override
		public void begin(Beginning beginning) throws Throwable {
			IdempotencyContext entered = IdempotencyContext.enter(IdempotentCall.this.action.settings().name(),
					this.fence);
			this.context = entered;
			boolean watched = isWatched();
			if (watched) {
				this.transactions.enter(this.record);
			}
			try {
				beginning.run();
				if (!IdempotentCall.this.form.isPlain()) {
					this.transactions.returned();
				}
			}
			finally {
				if (watched) {
					this.transactions.exit();
				}
				entered.exit();
			}
		}

		// The transactions of plain work without a claim belong to a call around it
		boolean isWatched() {
			return !IdempotentCall.this.form.isPlain();
		}

		@Override
		public Object contextual(Object context) {
			return Subscribers.with(context, Objects.requireNonNull(this.context), this.transactions);
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return IdempotentCall.this.action.run(this.progress);
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			IdempotentCall.this.action.end(this.progress);
			return DONE;
		}

	}

	private final class Running extends Bound {

		private final Granted claim;

		private final KeyedCall call;

		private final StreamCodec.@Nullable Recorder stream;

		private final CallCompletion completion;

		/** Whether the claim ends with this work, whose caller waits for that. */
		private volatile boolean waitedFor;

		private volatile @Nullable Runnable publishing;

		private @Nullable TransactionalRecord other;

		Running(Granted claim, KeyedCall call, @Nullable TransactionalRecords records) {
			super(claim.fence());
			this.claim = claim;
			this.call = call;
			Function<@Nullable Object, Recording> values = (result) -> CallOutcomes.record(call, result);
			this.record = (records != null) ? new CallRecord(records, claim, this.progress, values) : null;
			this.stream = (call.codec() instanceof StreamCodec codec) ? codec.new Recorder() : null;
			this.completion = new CallCompletion(claim.request().settings().onFailureWithoutTransaction(),
					this.progress, this.transactions, (this.record != null) ? this.record::record : values,
					call.exceptions(), this::conclude);
			IdempotentCall.this.completion = this.completion;
			this.completion.join(IdempotentCall.this.subscriber);
			this.waitedFor = call.exchange() == null && !this.completion.isJoined();
			if (call.exchange() != null) {
				call.exchange().capture(this.completion);
			}
		}

		@Override
		boolean isWatched() {
			return true;
		}

		private CompletionStage<?> conclude(Ending ending) {
			CallRecord recorded = this.record;
			Ending known = (recorded != null) ? recorded.correct(ending) : ending;
			if (recorded != null && known instanceof Ending.Complete complete && complete.fingerprint() != null) {
				Waiting.await(IdempotentCall.this.parts.engine().end(this.claim, known));
				if (recorded.isJoined()) {
					IdempotentCall.this.parts.outcomes().publish(this.claim.request(), Outcome.LEASE_LOST);
				}
				return DONE;
			}
			boolean isRecorded = recorded != null && recorded.isCommitted();
			return this.waitedFor
					? IdempotentCall.this.parts.outcomes()
						.end(this.claim, known, isRecorded)
						.thenAccept((publish) -> this.publishing = publish)
					: IdempotentCall.this.end(this.claim, known, isRecorded);
		}

		@Override
		public void tellOfEnd() {
			Runnable publish = this.publishing;
			if (publish != null) {
				publish.run();
			}
		}

		@Override
		public @Nullable Object start() throws Throwable {
			Object promise = super.start();
			return (this.stream != null && promise != null)
					? IdempotentCall.this.form.observed(promise, this.stream::add) : promise;
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			super.end(value, failure);
			this.transactions.methodEnded();
			if (failure == null) {
				this.completion.returned((this.stream != null) ? this.stream : value);
				return answered();
			}
			if (IdempotentCall.this.form.isPlain() || !this.transactions.isOpen()) {
				return failed(failure);
			}
			// Such as a rollback after the subscriber has cancelled
			return this.transactions.awaitEnd()
				.completeOnTimeout(null, PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
				.thenCompose((nothing) -> failed(failure));
		}

		private CompletionStage<?> failed(Throwable failure) {
			if (failure instanceof AbandonedException) {
				this.waitedFor = false;
				if (IdempotentCall.this.form.kind() == ResultForm.Kind.MULTIPLE) {
					IdempotentCall.this.parts.outcomes().leftEarly(this.call.request());
				}
				return this.completion.abandoned();
			}
			this.completion.threw(failure);
			this.other = (this.record != null) ? this.record.findOfAnother() : null;
			return (this.other != null) ? this.completion.superseded() : answered();
		}

		private CompletionStage<?> answered() {
			return (this.call.exchange() == null || this.completion.isUnanswered()) ? this.completion.unanswered()
					: DONE;
		}

		@Override
		public @Nullable Object recover(Throwable failure) throws Throwable {
			if (this.other == null) {
				throw failure;
			}
			return replay(this.call, this.other);
		}

	}

}
