/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.PendingCaller;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;

/**
 * Calls whose threads wait: for the engine, and, where there is a witness, for the
 * database in the transactions of their thread. Those of an {@link IdempotentCall} wait
 * for nothing.
 */
final class DefaultIdempotency implements Idempotency {

	private static final Log logger = LogFactory.getLog(DefaultIdempotency.class);

	private static final CompletionStage<?> DONE = CompletableFuture.completedStage(null);

	private final IdempotencyRegistry operations;

	private final IdempotencyEngine engine;

	private final WitnessChoice witness;

	private final ResultCodecs codecs;

	private final TransactionWatch transactions;

	private final ReactiveTransactionWatch reactiveTransactions;

	private final Supplier<List<PrincipalProvider>> principals;

	private final CallOutcomes outcomes;

	private final GuardedCalls calls;

	DefaultIdempotency(IdempotencyRegistry operations, IdempotencyEngine engine, WitnessChoice witness,
			ResultCodecs codecs, TransactionWatch transactions, ReactiveTransactionWatch reactiveTransactions,
			Supplier<List<PrincipalProvider>> principals, GuardEvents events, GuardedCalls calls) {
		this.operations = operations;
		this.engine = engine;
		this.witness = witness;
		this.codecs = codecs;
		this.transactions = transactions;
		this.reactiveTransactions = reactiveTransactions;
		this.principals = principals;
		this.outcomes = new CallOutcomes(engine, events);
		this.calls = calls;
	}

	@Override
	public IdempotencySettings settings(String name) {
		return this.operations.get(name);
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> T execute(IdempotencySettings settings, Object key, @Nullable Object payload,
			ParameterizedTypeReference<T> type, Supplier<T> action) {
		EventLoops.forbidWaiting("Idempotency.execute", "executeAsync");
		IdempotencyRequest request = request(settings, key, payload);
		ResultHandling answers = ResultHandling.of(this.codecs.forValue(settings.name(), ResolvableType.forType(type)));
		try {
			return (T) call(request, answers, (progress) -> {
				progress.reach();
				return action.get();
			});
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException("A supplier throws no checked exception", ex);
		}
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(IdempotencySettings settings, Object key,
			@Nullable Object payload, ParameterizedTypeReference<T> type,
			Supplier<? extends CompletionStage<T>> action) {
		List<String> parts = parts(settings, key);
		byte[] fingerprint = fingerprint(settings, payload);
		ResultHandling answers = ResultHandling.of(this.codecs.forValue(settings.name(), ResolvableType.forType(type)));
		return (CompletionStage<T>) this.calls.make(ResultForm.FUTURE, () -> call(ResultForm.FUTURE,
				new AsyncAction(settings, () -> request(settings, parts, fingerprint), answers, action)));
	}

	private IdempotencyRequest request(IdempotencySettings settings, Object key, @Nullable Object payload) {
		return request(settings, parts(settings, key), fingerprint(settings, payload));
	}

	private static List<String> parts(IdempotencySettings settings, Object key) {
		return IdempotencyKeys.require(key, "The key of '" + settings.name() + "'");
	}

	private static byte[] fingerprint(IdempotencySettings settings, @Nullable Object payload) {
		try {
			return Fingerprints.of(payload);
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					"The payload of '" + settings.name() + "' has no fields to be compared by", ex);
		}
	}

	IdempotencyRequest request(IdempotencySettings settings, List<String> key, byte[] fingerprint) {
		Caller caller = (settings.scope() == IdempotencyScope.PRINCIPAL)
				? PendingCaller.ask(() -> currentCaller(settings)) : null;
		return new IdempotencyRequest(settings, caller, key, fingerprint);
	}

	private @Nullable Caller currentCaller(IdempotencySettings settings) {
		for (PrincipalProvider provider : this.principals.get()) {
			String principal = provider.currentPrincipal();
			if (principal != null) {
				if (principal.isBlank()) {
					throw new IdempotencyCallerException(settings.name());
				}
				return new Caller(provider.currentIssuer(), principal);
			}
		}
		return null;
	}

	/**
	 * Makes a call that waits for nothing.
	 */
	IdempotentCall call(ResultForm form, IdempotentCall.Action action) {
		return new IdempotentCall(form, action, this.engine, this.outcomes, this.transactions,
				this.reactiveTransactions, this.calls);
	}

	@Nullable Object call(IdempotencyRequest request, ResultHandling answers, Action action) throws Throwable {
		Claim claim = this.engine.await(request, this.engine.claim(request));
		if (claim instanceof Claim.Granted granted) {
			return granted(granted, answers, action);
		}
		if (claim instanceof Claim.Completed completed) {
			return this.outcomes.replay(request, answers, completed).result();
		}
		if (claim instanceof Claim.Away away) {
			this.outcomes.requireAllowed(request, away);
			return runUnprotected(request.settings(), action);
		}
		WitnessRow row = (claim instanceof Claim.Unknown) ? findReturned(request) : null;
		if (row != null) {
			return answer(request, answers, row);
		}
		throw this.outcomes.refuse(request, claim);
	}

	/**
	 * Runs a call without a claim, also without that of a call around it.
	 */
	static @Nullable Object runUnprotected(IdempotencySettings settings, Action action) throws Throwable {
		IdempotencyContext context = IdempotencyContext.enterUnprotected(settings.name());
		try {
			return action.run(new Progress());
		}
		finally {
			context.exit();
		}
	}

	private @Nullable Object granted(Claim.Granted claim, ResultHandling answers, Action action) throws Throwable {
		Witness witness;
		WitnessRow row;
		try {
			// A first call may run unwitnessed, one that takes over may not
			witness = claim.takenOver() ? this.witness.getDecided() : this.witness.get();
			row = (witness != null && claim.takenOver()) ? witness.find(this.engine.id(claim.request()), false) : null;
		}
		catch (RuntimeException | Error ex) {
			end(claim, new Ending.Release(), null);
			throw ex;
		}
		if (row != null) {
			Waiting.await(this.engine.end(claim, new Ending.Complete(row.result(), row.fingerprint())));
			return answer(claim.request(), answers, row);
		}
		return run(claim, witness, answers, action);
	}

	/**
	 * Finds the row of a call of unknown outcome. If it has a result, the method had
	 * returned, and what failed came after the commit.
	 */
	private @Nullable WitnessRow findReturned(IdempotencyRequest request) {
		try {
			Witness witness = this.witness.get();
			WitnessRow row = (witness != null) ? witness.find(this.engine.id(request), false) : null;
			return (row != null && row.result() != null) ? row : null;
		}
		catch (RuntimeException ex) {
			logger.warn("Cannot see whether the " + request + " has had its effect: " + ex);
			return null;
		}
	}

	private @Nullable Object run(Claim.Granted claim, @Nullable Witness witness, ResultHandling answers, Action action)
			throws Throwable {
		Progress progress = new Progress();
		IdempotentExchange exchange = answers.exchange();
		Testimony testimony;
		CallEnd end;
		TransactionWatch.Frame frame;
		try {
			Function<@Nullable Object, Recording> recorder = (result) -> CallOutcomes.record(claim, answers.codec(),
					result);
			testimony = (witness != null)
					? Testimony.begin(witness, claim, this.engine.id(claim.request()), progress, recorder) : null;
			Settlement settlement = new Settlement(claim.request().settings().onFailureWithoutTransaction(),
					(ending) -> conclude(claim, testimony, ending));
			settlement.joinThread();
			end = new CallEnd(settlement, progress, (testimony != null) ? testimony::record : recorder,
					answers.exceptions());
			if (exchange != null) {
				exchange.capture(end);
			}
			frame = this.transactions.open(testimony);
		}
		catch (RuntimeException | Error ex) {
			end(claim, new Ending.Release(), null);
			throw ex;
		}
		Object result;
		try {
			result = runProtected(claim, frame, progress, action);
		}
		catch (Throwable ex) {
			end.threw(ex, frame);
			WitnessRow other = findOfAnother(testimony);
			if (other != null) {
				Waiting.await(end.superseded());
				return answer(claim.request(), answers, other);
			}
			if (exchange == null || end.isUnanswered()) {
				Waiting.await(end.unanswered());
			}
			throw ex;
		}
		end.returned(result, frame);
		if (exchange == null || end.isUnanswered()) {
			Waiting.await(end.unanswered());
		}
		return result;
	}

	/**
	 * Finds the row of another call with the same key, after this one has failed in a
	 * transaction of its own.
	 */
	private static @Nullable WitnessRow findOfAnother(@Nullable Testimony testimony) {
		if (testimony == null || testimony.isJoined()) {
			return null;
		}
		testimony.find();
		return testimony.foundOfAnother();
	}

	private static @Nullable Object runProtected(Claim.Granted claim, TransactionWatch.Frame frame, Progress progress,
			Action action) throws Throwable {
		try {
			IdempotencyContext context = IdempotencyContext.enter(claim.request().settings().name(),
					claim.handle().fence());
			try {
				return action.run(progress);
			}
			finally {
				context.exit();
			}
		}
		finally {
			frame.close();
		}
	}

	/**
	 * Ends a claim by what is known, unless the database knows better.
	 */
	private CompletionStage<?> conclude(Claim.Granted claim, @Nullable Testimony testimony, Ending ending) {
		WitnessRow row = (testimony != null && !(ending instanceof Ending.Complete)) ? testimony.find() : null;
		if (testimony == null || row == null) {
			end(claim, ending, testimony);
		}
		else if (testimony.foundOfAnother() == null) {
			end(claim, (row.result() != null) ? new Ending.Complete(row.result()) : new Ending.Unknown(), testimony);
		}
		else {
			Waiting.await(this.engine.end(claim, new Ending.Complete(row.result(), row.fingerprint())));
			if (testimony.isJoined()) {
				this.outcomes.publish(claim.request(), Outcome.LEASE_LOST);
			}
		}
		return DONE;
	}

	private void end(Claim.Granted claim, Ending ending, @Nullable Testimony testimony) {
		boolean witnessed = testimony != null && testimony.isCommitted();
		Waiting.await(this.outcomes.end(claim, ending, witnessed)).run();
	}

	private @Nullable Object answer(IdempotencyRequest request, ResultHandling answers, WitnessRow row)
			throws Throwable {
		if (!Arrays.equals(row.fingerprint(), request.fingerprint())) {
			throw this.outcomes.refuse(request, new Claim.Mismatch());
		}
		return this.outcomes.replay(request, answers, new Claim.Completed(row.result())).result();
	}

	/**
	 * The work of a call.
	 */
	@FunctionalInterface
	interface Action {

		@Nullable Object run(Progress progress) throws Throwable;

	}

	/**
	 * The work of an asynchronous call in code.
	 */
	private record AsyncAction(IdempotencySettings settings, Supplier<IdempotencyRequest> request,
			ResultHandling answers, Supplier<? extends CompletionStage<?>> action) implements IdempotentCall.Action {

		@Override
		public IdempotentCall.Question ask() {
			return new IdempotentCall.Question(this.request.get(), this.answers);
		}

		@Override
		public Object run(Progress progress) {
			progress.reach();
			return this.action.get();
		}

		@Override
		public void end(Progress progress) {
		}

	}

}
