/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The outcomes of calls, whether or not their threads wait: how claims are ended, what
 * those are told that may not run, and which events tell of it.
 */
final class CallOutcomes {

	private static final Log logger = LogFactory.getLog(CallOutcomes.class);

	private final IdempotencyEngine engine;

	private final GuardEvents events;

	/** Operations of which a warning has told that a kept result cannot be read. */
	private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

	CallOutcomes(IdempotencyEngine engine, GuardEvents events) {
		this.engine = engine;
		this.events = events;
	}

	/**
	 * Ends a claim by what its call leaves behind.
	 * @param claim the claim
	 * @param ending what is left behind
	 * @param witnessed whether a row in the database keeps the effect from being repeated
	 * @return completes with what tells of it, to be run on a thread of the application
	 */
	CompletionStage<Runnable> end(Claim.Granted claim, Ending ending, boolean witnessed) {
		boolean retry = claim.request().settings().onUnknownOutcome() == UnknownOutcome.RETRY;
		Ending sent = (retry && ending instanceof Ending.Unknown) ? new Ending.Release() : ending;
		return this.engine.end(claim, sent).thenApply((stood) -> () -> tell(claim, ending, stood, witnessed));
	}

	private void tell(Claim.Granted claim, Ending ending, boolean stood, boolean witnessed) {
		publish(claim.request(), stood ? outcome(ending) : Outcome.LEASE_LOST);
		if (!stood) {
			logger.warn("A call of @Idempotent '" + claim.request().settings().name()
					+ "' has lost its key, since it was paused for longer than its lease or the key was cleared: "
					+ (witnessed ? "the next call finds its effect in the table ge_idempotency"
							: "the effect may happen twice"));
		}
	}

	private static Outcome outcome(Ending ending) {
		if (ending instanceof Ending.Complete) {
			return Outcome.EXECUTED;
		}
		return (ending instanceof Ending.Release) ? Outcome.RELEASED : Outcome.UNKNOWN;
	}

	/**
	 * Records a value, whatever happens: the effect stands, so the key must be closed and
	 * the caller answered.
	 */
	static Recording record(Claim.Granted claim, ResultCodec codec, @Nullable Object result) {
		try {
			return codec.record(result);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The result of @Idempotent '" + claim.request().settings().name() + "' cannot be kept: " + ex);
			return new Recording.Lost();
		}
	}

	/**
	 * Answers a call with what was kept of an earlier one.
	 * @throws Throwable the exception that is its result, or that nothing was kept
	 */
	Answer replay(IdempotencyRequest request, ResultHandling answers, Claim.Completed kept) throws Throwable {
		Object result;
		try {
			result = read(request, answers, kept);
		}
		catch (ResponseLostException ex) {
			return recover(request, answers, ex);
		}
		replayed(request, answers);
		if (result instanceof Thrown thrown) {
			throw thrown.exception();
		}
		return new Answer(result, false);
	}

	private Answer recover(IdempotencyRequest request, ResultHandling answers, ResponseLostException lost)
			throws Throwable {
		ResultHandling.Recovery recovery = answers.recovery();
		if (recovery == null) {
			publish(request, Outcome.ERROR);
			throw lost;
		}
		Object recovered = recovery.recover(lost);
		replayed(request, answers);
		return new Answer(recovered, true);
	}

	private void replayed(IdempotencyRequest request, ResultHandling answers) {
		publish(request, Outcome.REPLAYED);
		answers.replaying().run();
	}

	private @Nullable Object read(IdempotencyRequest request, ResultHandling answers, Claim.Completed kept) {
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
			if (this.unreadable.add(request.settings().name())) {
				logger.warn("A kept result of @Idempotent '" + request.settings().name() + "' cannot be read: "
						+ ex.getMessage() + ". Told once per operation");
			}
			throw new ResponseLostException(request.settings().name());
		}
	}

	private static <T> T require(@Nullable T means, String what) {
		Assert.state(means != null, () -> "it takes " + what + ", and there is none here");
		return means;
	}

	/**
	 * Decides on a call that Redis says nothing to.
	 * @throws RedisUnavailableException if it may not run unprotected
	 */
	void requireAllowed(IdempotencyRequest request, Claim.Away away) {
		publish(request, Outcome.ERROR);
		if (request.settings().onOutage() != OutagePolicy.ALLOW) {
			throw away.reason().ofCaller("idempotent operation '" + request.settings().name() + "'");
		}
	}

	/**
	 * Makes the refusal of a call.
	 */
	RuntimeException refuse(IdempotencyRequest request, Claim claim) {
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

	void publish(IdempotencyRequest request, Outcome outcome) {
		this.events.publish(new IdempotencyEvent(request.settings().name(), outcome));
	}

	/**
	 * The answer to a repetition.
	 *
	 * @param result the result
	 * @param isOwn whether the method's class has made it, in the form of the method
	 */
	record Answer(@Nullable Object result, boolean isOwn) {
	}

	/**
	 * A result that is thrown.
	 */
	private record Thrown(Exception exception) {
	}

}
