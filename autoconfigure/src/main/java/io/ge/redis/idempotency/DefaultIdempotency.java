/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.List;
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

/**
 * The synchronous flavour: waits for the engine, watches the transactions of its thread
 * and tells of what became of each call.
 */
final class DefaultIdempotency implements Idempotency {

	private static final Log logger = LogFactory.getLog(DefaultIdempotency.class);

	private static final Runnable NO_ACTION = () -> {
	};

	private final Operations operations;

	private final IdempotencyEngine engine;

	private final ResultCodecs codecs;

	private final TransactionWatch transactions;

	private final Supplier<List<PrincipalProvider>> principals;

	private final GuardEvents events;

	DefaultIdempotency(Operations operations, IdempotencyEngine engine, ResultCodecs codecs,
			TransactionWatch transactions, Supplier<List<PrincipalProvider>> principals, GuardEvents events) {
		this.operations = operations;
		this.engine = engine;
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
			return (T) call(request, codec, NO_ACTION, (progress) -> {
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
		String principal = (settings.scope() == IdempotencyScope.PRINCIPAL) ? currentPrincipal() : null;
		return new IdempotencyRequest(settings, principal, key, fingerprint);
	}

	private @Nullable String currentPrincipal() {
		for (PrincipalProvider provider : this.principals.get()) {
			String principal = provider.currentPrincipal();
			if (principal != null) {
				return principal;
			}
		}
		return null;
	}

	@Nullable Object call(IdempotencyRequest request, ResultCodec codec, Runnable replaying, Action action) throws Throwable {
		Claim claim;
		try {
			claim = Waiting.await(this.engine.claim(request));
		}
		catch (RedisUnavailableException ex) {
			publish(request, Outcome.ERROR);
			if (request.settings().onOutage() == OutagePolicy.ALLOW) {
				return action.run(new Progress());
			}
			throw ex;
		}
		if (claim instanceof Claim.Granted granted) {
			return run(granted, codec, action);
		}
		if (claim instanceof Claim.Completed completed) {
			return replay(request, codec, replaying, completed);
		}
		throw refuse(request, claim);
	}

	private @Nullable Object run(Claim.Granted claim, ResultCodec codec, Action action) throws Throwable {
		Progress progress = new Progress();
		Settlement settlement = Settlement.begin(claim.request().settings().onFailureWithoutTransaction(),
				(ending) -> end(claim, ending));
		TransactionWatch.Frame frame = this.transactions.open();
		Object result;
		try {
			result = action.run(progress);
		}
		catch (Throwable ex) {
			frame.close();
			settlement.ended(new Recording.Failed(), progress, frame);
			throw ex;
		}
		frame.close();
		settlement.ended(record(claim, codec, result), progress, frame);
		return result;
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

	private void end(Claim.Granted claim, Ending ending) {
		boolean stood = Waiting.await(this.engine.end(claim, ending));
		publish(claim.request(), stood ? outcome(ending) : Outcome.LEASE_LOST);
		if (!stood) {
			logger.warn("A call of @Idempotent '" + claim.request().settings().name()
					+ "' was paused for longer than its lease, and its key was claimed by another call: it may have had "
					+ "its effect twice");
		}
	}

	private static Outcome outcome(Ending ending) {
		if (ending instanceof Ending.Complete) {
			return Outcome.EXECUTED;
		}
		return (ending instanceof Ending.Release) ? Outcome.RELEASED : Outcome.UNKNOWN;
	}

	private @Nullable Object replay(IdempotencyRequest request, ResultCodec codec, Runnable replaying,
			Claim.Completed completed) {
		byte[] bytes = completed.result();
		Object result;
		try {
			if (bytes == null) {
				throw new ResponseLostException(request.settings().name());
			}
			result = codec.replay(bytes);
		}
		catch (ResponseLostException ex) {
			publish(request, Outcome.ERROR);
			throw ex;
		}
		catch (RuntimeException ex) {
			publish(request, Outcome.ERROR);
			logger.warn("A kept result of @Idempotent '" + request.settings().name() + "' cannot be read: "
					+ ex.getMessage());
			throw new ResponseLostException(request.settings().name());
		}
		publish(request, Outcome.REPLAYED);
		replaying.run();
		return result;
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
	 * What a call does.
	 */
	@FunctionalInterface
	interface Action {

		@Nullable Object run(Progress progress) throws Throwable;

	}

}
