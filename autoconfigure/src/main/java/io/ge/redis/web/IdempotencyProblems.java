/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.net.URI;
import java.time.Duration;

import io.ge.redis.GeRedisException;
import io.ge.redis.idempotency.EffectAlreadyCommittedException;
import io.ge.redis.idempotency.IdempotencyCallerException;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * 400 without a usable key, 403 for a caller without a name, 422 for another payload, 409
 * while the first call runs and where its outcome is unknown or its response lost, and
 * where a transaction was rolled back because another request has had the effect; 413 for
 * a body that cannot be compared.
 */
public class IdempotencyProblems implements ProblemMapping {

	private static final Duration AT_ONCE = Duration.ofSeconds(1);

	private final @Nullable URI documentation;

	/**
	 * Creates a mapping whose answers link to nothing.
	 */
	public IdempotencyProblems() {
		this(null);
	}

	/**
	 * Creates a mapping.
	 * @param documentation address of a page about the idempotency of the API, linked to
	 * by each answer, or {@code null} if there is none
	 */
	public IdempotencyProblems(@Nullable URI documentation) {
		this.documentation = documentation;
	}

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		Problem problem = find(exception);
		return (problem != null && this.documentation != null)
				? problem.header(HttpHeaders.LINK,
						"<" + this.documentation.toASCIIString() + ">; rel=\"describedby\"; type=\"text/html\"")
				: problem;
	}

	private static @Nullable Problem find(GeRedisException exception) {
		if (exception instanceof IdempotencyKeyException) {
			return Problem.own(HttpStatus.BAD_REQUEST, "idempotency-key-required",
					"Idempotency-Key is missing or malformed", String.valueOf(exception.getMessage()));
		}
		if (exception instanceof IdempotencyCallerException) {
			return Problem.own(HttpStatus.FORBIDDEN, "caller-unnamed", "The caller has no name",
					"The credentials name neither a subject nor a client to whom the Idempotency-Key could belong.");
		}
		if (exception instanceof IdempotencyMismatchException) {
			return Problem.own(HttpStatus.valueOf(422), "idempotency-key-reused", "Idempotency-Key is already used",
					"The key was used for a request with other content. Use a new key for a new request.");
		}
		if (exception instanceof IdempotencyInFlightException inFlight) {
			return Problem
				.own(HttpStatus.CONFLICT, "request-in-flight", "A request is outstanding for this Idempotency-Key",
						"The first request with this key is still being processed.")
				.retryAfter(inFlight.retryAfter());
		}
		if (exception instanceof OutcomeUnknownException) {
			return Problem.own(HttpStatus.CONFLICT, "outcome-unknown",
					"The outcome of the first request with this Idempotency-Key is unknown",
					"The first request failed after it may have had its effect. Look at the resource before trying "
							+ "again with a new key.");
		}
		if (exception instanceof ResponseLostException) {
			return Problem.own(HttpStatus.CONFLICT, "response-lost",
					"The response to the first request with this Idempotency-Key is lost",
					"The first request has taken effect, but its response was not kept.");
		}
		if (exception instanceof EffectAlreadyCommittedException) {
			return Problem
				.own(HttpStatus.CONFLICT, "effect-already-committed",
						"Another request with this Idempotency-Key has taken effect",
						"This request was rolled back. Repeat it to get the response to the other one.")
				.retryAfter(AT_ONCE);
		}
		if (exception instanceof UnreadBodyTooLargeException) {
			return Problem.own(HttpStatus.valueOf(413), "request-too-large",
					"The request is too large to be compared with a repetition",
					String.valueOf(exception.getMessage()));
		}
		return null;
	}

}
