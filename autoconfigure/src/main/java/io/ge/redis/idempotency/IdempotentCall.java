/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.ge.redis.core.call.AbandonedException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * A call whose result comes later. It claims its key when it is called or subscribed to,
 * and has ended when its result is there; that is passed on when Redis has it.
 * <p>
 * Who goes before the method has begun gives the claim back. Afterwards the method may
 * still run, or may have been stopped anywhere, so the key is freed only if the
 * transactions around it are known to have been rolled back. There is no witness, which
 * would block.
 */
final class IdempotentCall implements GuardedCall<Claim> {

	/** For the end of a transaction that a failed call has left open. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final ResultForm form;

	private final Action action;

	private final IdempotencyEngine engine;

	private final CallOutcomes outcomes;

	private final TransactionWatch transactions;

	private final ReactiveTransactionWatch reactiveTransactions;

	private final GuardedCalls calls;

	private @Nullable Object subscriber;

	private @Nullable ReactiveTransactions around;

	private volatile @Nullable Question question;

	private volatile @Nullable Settlement settlement;

	IdempotentCall(ResultForm form, Action action, IdempotencyEngine engine, CallOutcomes outcomes,
			TransactionWatch transactions, ReactiveTransactionWatch reactiveTransactions, GuardedCalls calls) {
		this.form = form;
		this.action = action;
		this.engine = engine;
		this.outcomes = outcomes;
		this.transactions = transactions;
		this.reactiveTransactions = reactiveTransactions;
		this.calls = calls;
	}

	@Override
	public void subscribed(Object context) {
		this.subscriber = context;
	}

	@Override
	public CompletableFuture<Claim> ask() {
		this.around = (this.subscriber != null) ? Subscribers.callAround(this.subscriber)
				: this.reactiveTransactions.current();
		Question asked = this.action.ask();
		this.question = asked;
		if (asked == null) {
			return CompletableFuture.completedFuture(new Claim.Unasked());
		}
		IdempotentExchange exchange = asked.answers().exchange();
		CompletableFuture<?> ready = (exchange != null) ? exchange.ready().toCompletableFuture() : null;
		CompletableFuture<Claim> claimed = (ready == null || ready.isDone()) ? this.engine.claim(asked.request())
				: claimAfter(ready, asked.request());
		return (exchange != null && exchange.isAwaitedHere()) ? awaited(asked.request(), claimed) : claimed;
	}

	private CompletableFuture<Claim> awaited(IdempotencyRequest request, CompletableFuture<Claim> claimed) {
		try {
			return CompletableFuture.completedFuture(this.engine.await(request, claimed));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<Claim> claimAfter(CompletableFuture<?> ready, IdempotencyRequest request) {
		CompletableFuture<Claim> claimed = new CompletableFuture<>();
		ready.whenComplete((nothing, problem) -> {
			if (claimed.isDone()) {
				return;
			}
			CompletableFuture<Claim> claim = this.engine.claim(request);
			claimed.whenComplete((known, gone) -> claim.cancel(false));
			claim.whenComplete((granted, failure) -> {
				if (failure != null) {
					claimed.completeExceptionally(failure);
				}
				else if (!claimed.complete(granted)) {
					this.engine.giveBack(granted);
				}
			});
		});
		return claimed;
	}

	@Override
	public boolean isCancellable() {
		return true;
	}

	@Override
	public Work decide(Claim claim) {
		Question asked = this.question;
		if (asked == null) {
			return new Unprotected();
		}
		if (claim instanceof Claim.Granted granted) {
			return granted(granted, asked.answers());
		}
		if (claim instanceof Claim.Completed completed) {
			return () -> replay(asked, completed);
		}
		if (claim instanceof Claim.Away away) {
			this.outcomes.requireAllowed(asked.request(), away);
			return new Unprotected();
		}
		throw this.outcomes.refuse(asked.request(), claim);
	}

	@Override
	public void giveBack(Claim claim) {
		Settlement begun = this.settlement;
		if (begun != null) {
			begun.discard();
		}
		this.engine.giveBack(claim);
	}

	private @Nullable Object replay(Question asked, Claim.Completed completed) throws Throwable {
		CallOutcomes.Answer answer = this.outcomes.replay(asked.request(), asked.answers(), completed);
		if (answer.isOwn()) {
			return answer.result();
		}
		Object result = answer.result();
		return switch (this.form.kind()) {
			case PLAIN, FUTURE -> CompletableFuture.completedFuture(result);
			case SINGLE, MULTIPLE -> this.form.publishing(result);
		};
	}

	private Work granted(Claim.Granted claim, ResultHandling answers) {
		try {
			return new Running(claim, answers);
		}
		catch (RuntimeException | Error ex) {
			end(claim, new Ending.Release());
			throw ex;
		}
	}

	// Listeners are the application's, so they do not run on a thread of the driver
	private CompletionStage<?> end(Claim.Granted claim, Ending ending) {
		return this.calls.handOver(this.outcomes.end(claim, ending, false).toCompletableFuture(), (tell) -> {
			tell.run();
			return true;
		}, (tell) -> {
		});
	}

	/**
	 * The work of a call.
	 */
	interface Action {

		/**
		 * Returns the operation.
		 */
		IdempotencySettings settings();

		/**
		 * Puts together what is asked, on the thread and in the scope of the caller.
		 * @return the question, or {@code null} if the call has no key and needs none
		 */
		@Nullable Question ask();

		/**
		 * Begins what is to be done once.
		 * @param progress told when the method is reached
		 * @return the promise of the method
		 */
		@Nullable Object run(Progress progress) throws Throwable;

		/**
		 * Called when the work has ended.
		 * @param progress that of the call
		 */
		void end(Progress progress);

	}

	/**
	 * The request of a call and the answers to it.
	 *
	 * @param request the call
	 * @param answers how it is answered
	 */
	record Question(IdempotencyRequest request, ResultHandling answers) {
	}

	/**
	 * Work with a context of its own, on the thread on which it begins and for the
	 * publisher of the method.
	 */
	private abstract class Bound implements Work {

		private final Progress progress = new Progress();

		private final ReactiveTransactions reactive = new ReactiveTransactions(IdempotentCall.this.reactiveTransactions,
				IdempotentCall.this.around);

		private @Nullable IdempotencyContext context;

		private volatile @Nullable CallTransactions transactions;

		final Progress progress() {
			return this.progress;
		}

		final ReactiveTransactions reactive() {
			return this.reactive;
		}

		final BegunTransactions transactionsAtEnd() {
			return Objects.requireNonNull(this.transactions).atEnd(IdempotentCall.this.subscriber != null);
		}

		abstract IdempotencyContext enter();

		@Override
		public void begin(Beginning beginning) throws Throwable {
			IdempotencyContext entered = enter();
			this.context = entered;
			try (CallTransactions watched = new CallTransactions(IdempotentCall.this.transactions,
					IdempotentCall.this.reactiveTransactions, this.reactive)) {
				this.transactions = watched;
				beginning.run();
				watched.returned();
			}
			finally {
				entered.exit();
			}
		}

		@Override
		public Object contextual(Object context) {
			return Subscribers.with(context, Objects.requireNonNull(this.context), this.reactive);
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

	/**
	 * Work without a claim, also without that of a call around it.
	 */
	private final class Unprotected extends Bound {

		@Override
		IdempotencyContext enter() {
			return IdempotencyContext.enterUnprotected(IdempotentCall.this.action.settings().name());
		}

	}

	/**
	 * Work under a claim.
	 */
	private final class Running extends Bound {

		private final Claim.Granted claim;

		private final @Nullable IdempotentExchange exchange;

		private final @Nullable StreamRecorder stream;

		private final CallEnd end;

		/**
		 * Whether the claim ends with this work, and whoever waits for that tells of it.
		 */
		private volatile boolean waitedFor;

		private volatile @Nullable Runnable telling;

		Running(Claim.Granted claim, ResultHandling answers) {
			this.claim = claim;
			this.exchange = answers.exchange();
			this.stream = (answers.codec() instanceof StreamCodec codec) ? codec.newRecorder() : null;
			Settlement settlement = new Settlement(claim.request().settings().onFailureWithoutTransaction(),
					this::conclude);
			IdempotentCall.this.settlement = settlement;
			this.end = new CallEnd(settlement, progress(),
					(result) -> CallOutcomes.record(claim, answers.codec(), result), answers.exceptions());
			Object subscriber = IdempotentCall.this.subscriber;
			if (subscriber != null) {
				Subscribers.join(subscriber, settlement, reactive());
			}
			else {
				settlement.joinThread();
			}
			this.waitedFor = this.exchange == null && !settlement.isJoined();
			if (this.exchange != null) {
				this.exchange.capture(this.end);
			}
		}

		private CompletionStage<?> conclude(Ending ending) {
			return this.waitedFor ? IdempotentCall.this.outcomes.end(this.claim, ending, false)
				.thenAccept((tell) -> this.telling = tell) : IdempotentCall.this.end(this.claim, ending);
		}

		@Override
		public void tellOfEnd() {
			Runnable told = this.telling;
			if (told != null) {
				told.run();
			}
		}

		@Override
		IdempotencyContext enter() {
			return IdempotencyContext.enter(this.claim.request().settings().name(), this.claim.handle().fence());
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
			BegunTransactions transactions = transactionsAtEnd();
			if (failure == null) {
				this.end.returned((this.stream != null) ? this.stream : value, transactions);
				return answered();
			}
			if (!reactive().isOpen()) {
				return failed(failure, transactions);
			}
			// Such as one that is being rolled back because its subscriber has gone
			return reactive().awaitEnd()
				.completeOnTimeout(null, PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
				.thenCompose((nothing) -> failed(failure, transactions));
		}

		private CompletionStage<?> failed(Throwable failure, BegunTransactions transactions) {
			if (AbandonedException.is(failure)) {
				this.waitedFor = false;
				return this.end.abandoned(transactions);
			}
			this.end.threw(failure, transactions);
			return answered();
		}

		private CompletionStage<?> answered() {
			return (this.exchange == null || this.end.isUnanswered()) ? this.end.unanswered() : DONE;
		}

	}

}
