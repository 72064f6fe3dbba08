// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

import java.time.Duration;

import io.ge.redis.Refusal;

/**
 * The first call with the same key still runs. This one has not run. Over HTTP a 409 with
 * {@code Retry-After}.
 */
public class IdempotencyInFlightException extends IdempotencyException {

	private static final Duration USUAL_WAIT = Duration.ofSeconds(1);

	private final Duration leaseLeft;

	/**
	 * Creates an exception.
	 * @param name the operation's name
	 * @param leaseLeft the remaining lease of the running call
	 */
	public IdempotencyInFlightException(String name, Duration leaseLeft) {
		super("The first call of '" + name + "' with this key is still running");
		this.leaseLeft = leaseLeft;
	}

	/**
	 * Returns when it makes sense to ask again. The call may end at any time, so this is
	 * a second, unless its lease ends earlier.
	 * @return the wait
	 */
	public Duration retryAfter() {
		return (this.leaseLeft.compareTo(USUAL_WAIT) < 0) ? this.leaseLeft : USUAL_WAIT;
	}

	@Override
	public Refusal refusal() {
		return Refusal
			.of(409, "request-in-flight", "A request is outstanding for this Idempotency-Key",
					"The first request with this key is still being processed.")
			.withRetryAfter(retryAfter());
	}

}
