// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyEvent.Outcome;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.UnknownOutcome;
import io.ge.redis.idempotency.spi.Recording;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Ends claims, answers or refuses repetitions, and publishes their events.
 */
final class CallOutcomes {

	private static final Log logger = LogFactory.getLog(CallOutcomes.class);

	private final IdempotencyEngine engine;

	private final GuardEvents events;

	/** Operations with a logged warning that a kept result cannot be read. */
	private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

	/** Operations with a logged warning that a subscriber left before the end. */
	private final Set<String> leftEarly = ConcurrentHashMap.newKeySet();

	CallOutcomes(IdempotencyEngine engine, GuardEvents events) {
		this.engine = engine;
		this.events = events;
	}

	/**
	 * Ends a claim.
	 * @param recorded whether a row in the database keeps the effect from being repeated
	 * @return completes with what publishes the outcome, to be run on a thread of the
	 * application
	 */
	CompletionStage<Runnable> end(IdempotencyDecision.Granted claim, Ending ending, boolean recorded) {
		boolean retry = claim.request().settings().onUnknownOutcome() == UnknownOutcome.RETRY;
		Ending sent = (retry && ending instanceof Ending.Unknown) ? new Ending.Release() : ending;
		return this.engine.end(claim, sent).thenApply((valid) -> () -> ended(claim, ending, valid, recorded));
	}

	private void ended(IdempotencyDecision.Granted claim, Ending ending, boolean valid, boolean recorded) {
		publish(claim.request(), valid ? outcome(ending) : Outcome.LEASE_LOST);
		if (!valid) {
			logger.warn("A call of @Idempotent '" + claim.request().settings().name()
					+ "' has lost its key, since it was paused for longer than its lease or the key was cleared: "
					+ (recorded ? "the next call finds its effect in the table ge_idempotency"
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
	 * Warns that a subscriber has left before the end of several values.
	 */
	void leftEarly(IdempotencyRequest request) {
		String name = request.settings().name();
		if (this.leftEarly.add(name)) {
			logger.warn("A subscriber of @Idempotent '" + name + "' has cancelled its publisher before the end, as"
					+ " take(n) and next() do, so the outcome of the call is unknown. Take all values, such as with"
					+ " collectList(), before choosing some. Logged once per operation");
		}
	}

	/**
	 * Records a value and never fails: the effect is final, so the key must be closed and
	 * the caller answered.
	 */
	static Recording record(KeyedCall call, @Nullable Object result) {
		try {
			return call.codec().record(result);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The result of @Idempotent '" + call.request().settings().name() + "' cannot be kept: " + ex);
			return new Recording.Lost();
		}
	}

	/**
	 * Answers a repetition with what was kept of an earlier call.
	 * @throws Throwable the exception that is its result, or that nothing was kept
	 */
	@Nullable Object replay(KeyedCall call, IdempotencyDecision.Completed kept, Function<@Nullable Object, @Nullable Object> form)
			throws Throwable {
		Object result;
		try {
			result = read(call, kept);
		}
		catch (ResponseLostException ex) {
			if (call.recovery() == null) {
				publish(call.request(), Outcome.ERROR);
				throw ex;
			}
			// By a method of the same class, so it has the form
			Object recovered = call.recovery().recover(ex);
			replayed(call);
			return recovered;
		}
		replayed(call);
		if (kept.kind() == RecordKind.EXCEPTION && result instanceof Exception thrown) {
			throw thrown;
		}
		return form.apply(result);
	}

	private void replayed(KeyedCall call) {
		publish(call.request(), Outcome.REPLAYED);
		call.replaying().run();
	}

	private @Nullable Object read(KeyedCall call, IdempotencyDecision.Completed kept) {
		String name = call.request().settings().name();
		byte[] bytes = kept.result();
		if (bytes == null) {
			throw new ResponseLostException(name);
		}
		try {
			return switch (kept.kind()) {
				case VALUE -> call.codec().replay(bytes);
				case EXCHANGE -> require(call.exchange(), "an exchange").replay(bytes);
				case EXCEPTION -> require(call.exceptions(), "storeExceptions").replay(bytes);
			};
		}
		catch (RuntimeException ex) {
			if (this.unreadable.add(name)) {
				logger.warn("A kept result of @Idempotent '" + name + "' cannot be read: " + ex.getMessage()
						+ ". Logged once per operation");
			}
			throw new ResponseLostException(name);
		}
	}

	private static <T> T require(@Nullable T means, String what) {
		Assert.state(means != null, () -> "it takes " + what + ", and there is none here");
		return means;
	}

	void requireAllowed(IdempotencyRequest request, RedisUnavailableException reason) {
		publish(request, Outcome.ERROR);
		if (request.settings().onOutage() != OutagePolicy.ALLOW) {
			throw reason.ofCaller("idempotent operation '" + request.settings().name() + "'");
		}
	}

	RuntimeException refuse(IdempotencyRequest request, IdempotencyDecision decision) {
		String name = request.settings().name();
		if (decision instanceof IdempotencyDecision.InFlight inFlight) {
			publish(request, Outcome.IN_FLIGHT);
			return new IdempotencyInFlightException(name, inFlight.leaseLeft());
		}
		if (decision instanceof IdempotencyDecision.Mismatch) {
			publish(request, Outcome.MISMATCH);
			return new IdempotencyMismatchException(name);
		}
		publish(request, Outcome.UNKNOWN);
		return new OutcomeUnknownException(name);
	}

	void publish(IdempotencyRequest request, Outcome outcome) {
		this.events.publish(new IdempotencyEvent(request.settings().name(), outcome));
	}

}
