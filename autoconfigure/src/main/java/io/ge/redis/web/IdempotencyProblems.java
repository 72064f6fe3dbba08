/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * 400 without a usable key, 422 for another payload, 409 while the first call runs and
 * where its outcome is unknown or its response lost.
 */
public class IdempotencyProblems implements ProblemMapping {

	@Override
	public @Nullable Problem map(GeRedisException exception) {
		if (exception instanceof IdempotencyKeyException) {
			return Problem.own(HttpStatus.BAD_REQUEST, "idempotency-key-required",
					"Idempotency-Key is missing or malformed", String.valueOf(exception.getMessage()));
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
					"The first request has succeeded, but its response was not kept.");
		}
		return null;
	}

}
