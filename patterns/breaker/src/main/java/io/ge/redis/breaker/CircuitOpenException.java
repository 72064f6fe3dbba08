// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker;

import java.time.Duration;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A call was refused since its circuit is open, and has not run. Over HTTP a 503. It has
 * no stack trace, so that refusals cost little.
 */
public class CircuitOpenException extends GeRedisException {

	private final String name;

	private final Duration retryAfter;

	/**
	 * Creates an exception.
	 * @param name the name of the breaker
	 * @param retryAfter the time to the next probe
	 */
	public CircuitOpenException(String name, Duration retryAfter) {
		super("The circuit of breaker '" + name + "' is open", false);
		this.name = name;
		this.retryAfter = retryAfter;
	}

	/** Returns the name of the breaker. */
	public String name() {
		return this.name;
	}

	/** Returns the time to the next probe. */
	public Duration retryAfter() {
		return this.retryAfter;
	}

	@Override
	public Refusal refusal() {
		return Refusal
			.of(503, "circuit-open", "Service is temporarily unavailable",
					"Calls have failed. Try again after the time in Retry-After.")
			.withMember("breaker", this.name)
			.withRetryAfter(this.retryAfter);
	}

}
