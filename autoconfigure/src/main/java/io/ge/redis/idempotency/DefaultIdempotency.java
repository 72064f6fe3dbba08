/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.PrincipalProvider;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.util.Assert;

/**
 * The synchronous flavour: waits for the engine, watches the transactions of its thread
 * and tells of what became of each call.
 */
final class DefaultIdempotency implements Idempotency {

	private static final Log logger = LogFactory.getLog(DefaultIdempotency.class);

	private final Operations operations;

	private final IdempotencyEngine engine;

	private final WitnessChoice witness;

	private final ResultCodecs codecs;

	private final TransactionWatch transactions;

	private final Supplier<List<PrincipalProvider>> principals;

	private final GuardEvents events;

	DefaultIdempotency(Operations operations, IdempotencyEngine engine, WitnessChoice witness, ResultCodecs codecs,
			TransactionWatch transactions, Supplier<List<PrincipalProvider>> principals, GuardEvents events) {
		this.operations = operations;
		this.engine = engine;
		this.witness = witness;
		this.codecs = codecs;
		this.transactions = transactions;
		this.principals = principals;
		this.events = events;
	}

	@Override
	public IdempotencySettings settings(String name) {
		return this.operations.get(name);
	}

	@Override
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <T extends @Nullable Object> T execute(IdempotencySettings settings, Object key, @Nullable Object payload,
			ParameterizedTypeReference<T> type, Supplier<T> action) {
		List<String> parts = IdempotencyKeys.require(key, "The key of '" + settings.name() + "'");
		ResultCodec codec = this.codecs.forValue(settings.name(), ResolvableType.forType(type));
		IdempotencyRequest request = request(settings, parts, fingerprint(settings, payload));
		try {
			return (T) call(request, Answers.of(codec), (progress) -> {
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
		Caller caller = (settings.scope() == IdempotencyScope.PRINCIPAL) ? currentCaller() : null;
		return new IdempotencyRequest(settings, caller, key, fingerprint);
	}

	private @Nullable Caller currentCaller() {
		for (PrincipalProvider provider : this.principals.get()) {
			String principal = provider.currentPrincipal();
			if (principal != null) {
				return new Caller(provider.currentIssuer(), principal);
			}
		}
		return null;
	}

	@Nullable Object call(IdempotencyRequest request, Answers answers, Action action) throws Throwable {
		Claim claim;
		try {
			claim = claim(request);
		}
		catch (RedisUnavailableException ex) {
			publish(request, Outcome.ERROR);
			if (request.settings().onOutage() == OutagePolicy.ALLOW) {
				return runUnprotected(request.settings(), action);
			}
			throw ex;
		}
		if (claim instanceof Claim.Granted granted) {
			return granted(granted, answers, action);
		}
		if (claim instanceof Claim.Completed completed) {
			return replay(request, answers, completed);
		}
		WitnessRow row = (claim instanceof Claim.Unknown) ? findReturned(request) : null;
		if (row != null) {
			return answer(request, answers, row);
		}
		throw refuse(request, claim);
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

	private Claim claim(IdempotencyRequest request) {
		CompletionStage<Claim> claim = this.engine.claim(request);
		if (request.settings().onDuplicate() == OnDuplicate.CONFLICT) {
			return Waiting.await(claim);
		}
		CompletableFuture<Claim> claimed = claim.toCompletableFuture();
		try {
			return claimed.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			giveUp(claimed);
			return new Claim.InFlight(request.settings().lease());
		}
		catch (ExecutionException ex) {
			return Waiting.await(claimed);
		}
	}

	/**
	 * Frees what is granted to a caller that has gone.
	 */
	private void giveUp(CompletableFuture<Claim> claimed) {
		claimed.thenAccept((claim) -> {
			if (claim instanceof Claim.Granted granted) {
				this.engine.end(granted, new Ending.Release());
			}
		});
	}

	private @Nullable Object granted(Claim.Granted claim, Answers answers, Action action) throws Throwable {
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

	private @Nullable Object run(Claim.Granted claim, @Nullable Witness witness, Answers answers, Action action)
			throws Throwable {
		Progress progress = new Progress();
		IdempotentExchange exchange = answers.exchange();
		Testimony testimony;
		CallEnd end;
		TransactionWatch.Frame frame;
		try {
			testimony = (witness != null) ? Testimony.begin(witness, claim, this.engine.id(claim.request()), progress,
					(result) -> record(claim, answers.codec(), result)) : null;
			Settlement settlement = Settlement.begin(claim.request().settings().onFailureWithoutTransaction(),
					(ending) -> conclude(claim, testimony, ending));
			end = new CallEnd(settlement, progress,
					(result) -> (testimony != null) ? testimony.record(result) : record(claim, answers.codec(), result),
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
				end.superseded();
				return answer(claim.request(), answers, other);
			}
			if (exchange == null) {
				end.unanswered();
			}
			throw ex;
		}
		end.returned(result, frame);
		if (exchange == null) {
			end.unanswered();
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

	private static Recording record(Claim.Granted claim, ResultCodec codec, @Nullable Object result) {
		try {
			return codec.record(result);
		}
		// Errors too: the effect stands, so the key must be closed and the caller
		// answered
		catch (RuntimeException | Error ex) {
			logger.warn("The result of @Idempotent '" + claim.request().settings().name() + "' cannot be kept: " + ex);
			return new Recording.Lost();
		}
	}

	/**
	 * Ends a claim by what is known, unless the database knows better.
	 */
	private void conclude(Claim.Granted claim, @Nullable Testimony testimony, Ending ending) {
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
				publish(claim.request(), Outcome.LEASE_LOST);
			}
		}
	}

	private void end(Claim.Granted claim, Ending ending, @Nullable Testimony testimony) {
		boolean retry = claim.request().settings().onUnknownOutcome() == UnknownOutcome.RETRY;
		Ending sent = (retry && ending instanceof Ending.Unknown) ? new Ending.Release() : ending;
		boolean stood = Waiting.await(this.engine.end(claim, sent));
		publish(claim.request(), stood ? outcome(ending) : Outcome.LEASE_LOST);
		if (!stood) {
			boolean once = testimony != null && testimony.isCommitted();
			logger.warn("A call of @Idempotent '" + claim.request().settings().name()
					+ "' has lost its key, since it was paused for longer than its lease or the key was cleared: "
					+ (once ? "the next call finds its effect in the table ge_idempotency"
							: "the effect may happen twice"));
		}
	}

	private static Outcome outcome(Ending ending) {
		if (ending instanceof Ending.Complete) {
			return Outcome.EXECUTED;
		}
		return (ending instanceof Ending.Release) ? Outcome.RELEASED : Outcome.UNKNOWN;
	}

	private @Nullable Object answer(IdempotencyRequest request, Answers answers, WitnessRow row) throws Throwable {
		if (!Arrays.equals(row.fingerprint(), request.fingerprint())) {
			throw refuse(request, new Claim.Mismatch());
		}
		return replay(request, answers, new Claim.Completed(row.result()));
	}

	private @Nullable Object replay(IdempotencyRequest request, Answers answers, Claim.Completed kept)
			throws Throwable {
		Object result;
		try {
			result = read(request, answers, kept);
		}
		catch (ResponseLostException ex) {
			Answers.Recovery recovery = answers.recovery();
			if (recovery == null) {
				publish(request, Outcome.ERROR);
				throw ex;
			}
			result = recovery.recover(ex);
		}
		publish(request, Outcome.REPLAYED);
		answers.replaying().run();
		if (result instanceof Thrown thrown) {
			throw thrown.exception();
		}
		return result;
	}

	private static @Nullable Object read(IdempotencyRequest request, Answers answers, Claim.Completed kept) {
		byte[] bytes = kept.result();
		if (bytes == null) {
			throw new ResponseLostException(request.settings().name());
		}
		try {
			return switch (kept.kind()) {
				case VALUE -> answers.codec().replay(bytes);
				case EXCHANGE -> require(answers.exchange(), "an exchange").replay(bytes);
				case EXCEPTION -> new Thrown(require(answers.exceptions(), "storeExceptions").replay(bytes));
			};
		}
		catch (RuntimeException ex) {
			logger.warn("A kept result of @Idempotent '" + request.settings().name() + "' cannot be read: "
					+ ex.getMessage());
			throw new ResponseLostException(request.settings().name());
		}
	}

	private static <T> T require(@Nullable T means, String what) {
		Assert.state(means != null, () -> "it takes " + what + ", and there is none here");
		return means;
	}

	private RuntimeException refuse(IdempotencyRequest request, Claim claim) {
		String name = request.settings().name();
		if (claim instanceof Claim.InFlight inFlight) {
			publish(request, Outcome.IN_FLIGHT);
			return new IdempotencyInFlightException(name, inFlight.leaseLeft());
		}
		if (claim instanceof Claim.Mismatch) {
			publish(request, Outcome.MISMATCH);
			return new IdempotencyMismatchException(name);
		}
		publish(request, Outcome.UNKNOWN);
		return new OutcomeUnknownException(name);
	}

	private void publish(IdempotencyRequest request, Outcome outcome) {
		this.events.publish(new IdempotencyEvent(request.settings().name(), outcome));
	}

	/**
	 * A result that is thrown.
	 */
	private record Thrown(Exception exception) {
	}

	/**
	 * What a call does.
	 */
	@FunctionalInterface
	interface Action {

		@Nullable Object run(Progress progress) throws Throwable;

	}

}
