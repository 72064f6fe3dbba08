// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.UnknownOutcome;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Completed;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Ending;
import io.ge.redis.idempotency.internal.IdempotencyDecision.Granted;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.idempotency.spi.ResultCodec;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

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

	final ResultForm form;

	final Action action;

	private final Parts parts;

	@Nullable Object subscriber;

	private @Nullable CallTransactions around;

	private volatile @Nullable IdempotencyRequest request;

	volatile @Nullable CallCompletion completion;

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
		this.around = (this.subscriber != null) ? SubscriberContext.find(this.subscriber, CallTransactions.class)
				: this.parts.transactions().current();
		IdempotencyRequest asked = this.action.ask();
		this.request = asked;
		if (asked == null) {
			return CompletableFuture.completedFuture(null);
		}
		IdempotentExchange exchange = this.form.isPlain() ? null : this.action.exchange();
		CompletableFuture<@Nullable IdempotencyDecision> claimed = engine().claim(asked,
				(exchange != null) ? exchange.ready() : null);
		return (exchange != null && exchange.isAwaitedHere()) ? awaited(asked, claimed) : claimed;
	}

	private CompletableFuture<@Nullable IdempotencyDecision> awaited(IdempotencyRequest asked,
			CompletableFuture<@Nullable IdempotencyDecision> claimed) {
		try {
			return CompletableFuture.completedFuture(isInterruptible()
					? Waiting.awaitInterruptibly(claimed, (interrupt) -> inFlight(asked)) : Waiting.await(claimed));
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
		IdempotencyRequest asked = this.request;
		return asked != null && asked.settings().onDuplicate() == OnDuplicate.WAIT;
	}

	@Override
	public RuntimeException interrupted(InterruptedException interrupt) {
		IdempotencyRequest asked = this.request;
		return (asked != null && this.form.isPlain()) ? inFlight(asked) : GuardedCall.super.interrupted(interrupt);
	}

	private RuntimeException inFlight(IdempotencyRequest asked) {
		return refusal(new IdempotencyDecision.InFlight(asked.settings().lease()));
	}

	@Override
	public Work decide(@Nullable IdempotencyDecision decision) {
		IdempotencyRequest asked = this.request;
		if (asked == null || decision == null) {
			return new Bound(this, null);
		}
		if (decision instanceof Granted granted) {
			return granted(granted);
		}
		if (decision instanceof Completed completed) {
			return () -> replay(completed);
		}
		if (decision instanceof IdempotencyDecision.Unavailable unavailable) {
			requireAllowed(unavailable.reason());
			return new Bound(this, null);
		}
		TransactionalRecord record = (this.form.isPlain() && decision instanceof IdempotencyDecision.Unknown)
				? findReturned(asked) : null;
		if (record != null) {
			return () -> replay(asked, record);
		}
		throw refusal(decision);
	}

	private void requireAllowed(RedisUnavailableException reason) {
		publish(Outcome.ERROR);
		if (this.action.settings().onOutage() != OutagePolicy.ALLOW) {
			throw reason.ofCaller("idempotent operation '" + name() + "'");
		}
	}

	private RuntimeException refusal(IdempotencyDecision decision) {
		if (decision instanceof IdempotencyDecision.InFlight inFlight) {
			publish(Outcome.IN_FLIGHT);
			return new IdempotencyInFlightException(name(), inFlight.leaseLeft());
		}
		if (decision instanceof IdempotencyDecision.Mismatch) {
			publish(Outcome.MISMATCH);
			return new IdempotencyMismatchException(name());
		}
		publish(Outcome.UNKNOWN);
		return new OutcomeUnknownException(name());
	}

	String name() {
		return this.action.settings().name();
	}

	void publish(Outcome outcome) {
		this.parts.events().publish(new IdempotencyEvent(name(), outcome));
	}

	@Override
	public void release(@Nullable IdempotencyDecision decision) {
		CallCompletion begun = this.completion;
		if (begun != null) {
			begun.discard();
		}
		engine().release(decision);
	}

	/**
	 * Finds the record of a call of unknown outcome. If it has a result, the method had
	 * returned, and what failed came after the commit.
	 */
	private @Nullable TransactionalRecord findReturned(IdempotencyRequest asked) {
		try {
			TransactionalRecords records = this.parts.records().get();
			TransactionalRecord record = (records != null) ? records.find(engine().id(asked), false) : null;
			return (record != null && record.result() != null) ? record : null;
		}
		catch (RuntimeException ex) {
			logger.warn("Cannot determine whether the " + asked + " has had its effect: " + ex);
			return null;
		}
	}

	@Nullable Object replay(IdempotencyRequest asked, TransactionalRecord record) throws Throwable {
		if (!Arrays.equals(record.fingerprint(), asked.fingerprint())) {
			throw refusal(new IdempotencyDecision.Mismatch());
		}
		return replay(new Completed(record.result()));
	}

	/**
	 * Answers a repetition with what was kept of an earlier call.
	 * @throws Throwable the exception that is its result, or that nothing was kept
	 */
	private @Nullable Object replay(Completed kept) throws Throwable {
		Object result;
		try {
			result = read(kept);
		}
		catch (ResponseLostException ex) {
			// By a method of the same class, so it has the form
			Object recovered = recover(ex);
			replayed();
			return recovered;
		}
		replayed();
		if (kept.kind() == RecordKind.EXCEPTION && result instanceof Exception thrown) {
			throw thrown;
		}
		return switch (this.form.kind()) {
			case PLAIN -> result;
			case FUTURE -> CompletableFuture.completedFuture(result);
			case SINGLE, MULTIPLE -> this.form.publishing(result);
		};
	}

	private @Nullable Object recover(ResponseLostException lost) throws Throwable {
		try {
			return this.action.recover(lost);
		}
		catch (ResponseLostException ex) {
			if (ex == lost) {
				publish(Outcome.ERROR);
			}
			throw ex;
		}
	}

	private void replayed() {
		publish(Outcome.REPLAYED);
		this.action.replaying();
	}

	private @Nullable Object read(Completed kept) {
		byte[] bytes = kept.result();
		if (bytes == null) {
			throw new ResponseLostException(name());
		}
		try {
			return switch (kept.kind()) {
				case VALUE -> this.action.codec().replay(bytes);
				case EXCHANGE -> require(this.action.exchange(), "an exchange").replay(bytes);
				case EXCEPTION -> require(this.action.exceptions(), "storeExceptions").replay(bytes);
			};
		}
		catch (RuntimeException ex) {
			warnOnce("A kept result of @Idempotent '" + name() + "' cannot be read: ", ex.getMessage() + ".");
			throw new ResponseLostException(name());
		}
	}

	private static <T> T require(@Nullable T means, String what) {
		Assert.state(means != null, () -> "it takes " + what + ", and there is none here");
		return means;
	}

	void warnOnce(String warning, String detail) {
		if (this.parts.warned().add(warning)) {
			logger.warn(warning + detail + " Logged once per operation");
		}
	}

	/**
	 * Records a value and never fails: the effect is final, so the key must be closed and
	 * the caller answered.
	 */
	Recording recorded(@Nullable Object result) {
		try {
			return this.action.codec().record(result);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The result of @Idempotent '" + name() + "' cannot be kept: " + ex);
			return new Recording.Lost();
		}
	}

	private Work granted(Granted claim) {
		try {
			if (!this.form.isPlain()) {
				return new CallCompletion(this, claim, null);
			}
			// A first call may run without a record, one that takes over may not
			AvailableRecords available = this.parts.records();
			TransactionalRecords records = claim.takenOver() ? available.getDecided() : available.get();
			TransactionalRecord record = (records != null && claim.takenOver()) ? records.find(claim.id(), false)
					: null;
			if (record == null) {
				return new CallCompletion(this, claim, records);
			}
			Waiting.await(engine().end(claim, new Completed(record.result(), RecordKind.VALUE, record.fingerprint())));
			return () -> replay(claim.request(), record);
		}
		catch (RuntimeException | Error ex) {
			end(claim, new IdempotencyDecision.Release(), false);
			throw ex;
		}
	}

	// Listeners are the application's, so they do not run on a thread of the driver
	CompletionStage<?> end(Granted claim, Ending ending, boolean hasRow) {
		CompletionStage<Runnable> ended = ended(claim, ending, hasRow);
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

	/**
	 * Ends a claim.
	 * @param hasRow whether a row in the database keeps the effect from being repeated
	 * @return completes with what publishes the outcome, to be run on a thread of the
	 * application
	 */
	CompletionStage<Runnable> ended(Granted claim, Ending ending, boolean hasRow) {
		boolean retry = this.action.settings().onUnknownOutcome() == UnknownOutcome.RETRY;
		Ending sent = (retry && ending instanceof IdempotencyDecision.Unknown) ? new IdempotencyDecision.Release()
				: ending;
		return engine().end(claim, sent).thenApply((valid) -> () -> {
			publish(valid ? outcome(ending) : Outcome.LEASE_LOST);
			if (!valid) {
				logger.warn("A call of @Idempotent '" + name()
						+ "' has lost its key, since it was paused for longer than its lease or the key was cleared: "
						+ (hasRow ? "the next call finds its effect in the table ge_idempotency"
								: "the effect may happen twice"));
			}
		});
	}

	private static Outcome outcome(Ending ending) {
		if (ending instanceof Completed) {
			return Outcome.EXECUTED;
		}
		return (ending instanceof IdempotencyDecision.Release) ? Outcome.RELEASED : Outcome.UNKNOWN;
	}

	IdempotencyEngine engine() {
		return this.parts.engine();
	}

	/**
	 * The parts that all calls share.
	 *
	 * @param warned warnings that are logged once per operation
	 */
	record Parts(IdempotencyEngine engine, GuardEvents events, AvailableRecords records, TransactionWatch transactions,
			GuardedCalls calls, Set<String> warned) {
	}

	/**
	 * The work of one call, and the means to answer it if it is a repetition.
	 */
	interface Action {

		IdempotencySettings settings();

		ResultCodec codec();

		default @Nullable StoredExceptions exceptions() {
			return null;
		}

		/**
		 * Called on the thread and in the scope of the caller; {@code null} without a key
		 * where none is needed.
		 */
		@Nullable IdempotencyRequest ask();

		/**
		 * Returns the exchange that the call answers, if it is captured as a whole, once
		 * the call has asked.
		 */
		default @Nullable IdempotentExchange exchange() {
			return null;
		}

		default void replaying() {
		}

		/**
		 * Returns a result that was not kept, or throws the exception if there is none.
		 */
		default @Nullable Object recover(ResponseLostException lost) throws Throwable {
			throw lost;
		}

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
	static class Bound implements Work {

		final IdempotentCall call;

		final Progress progress = new Progress();

		final CallTransactions transactions;

		private final @Nullable Long fence;

		private @Nullable IdempotencyContext context;

		@Nullable CallRecord record;

		Bound(IdempotentCall call, @Nullable Long fence) {
			this.call = call;
			this.transactions = new CallTransactions(call.parts.transactions(), call.form.kind(), call.around);
			this.fence = fence;
		}

		@Override
		public void begin(Beginning beginning) throws Throwable {
			IdempotencyContext entered = IdempotencyContext.enter(this.call.name(), this.fence);
			this.context = entered;
			boolean watched = isWatched();
			if (watched) {
				this.transactions.enter(this.record);
			}
			try {
				beginning.run();
				if (!this.call.form.isPlain()) {
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
			return !this.call.form.isPlain();
		}

		@Override
		public Object contextual(Object context) {
			Object inner = SubscriberContext.with(context, IdempotencyContext.class,
					Objects.requireNonNull(this.context));
			return SubscriberContext.with(inner, CallTransactions.class, this.transactions);
		}

		@Override
		public @Nullable Object start() throws Throwable {
			return this.call.action.run(this.progress);
		}

		@Override
		public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
			this.call.action.end(this.progress);
			return DONE;
		}

	}

}
