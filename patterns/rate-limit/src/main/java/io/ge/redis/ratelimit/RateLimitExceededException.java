// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;

/**
 * A call was refused by its rate limit and has not run. Over HTTP a 429.
 * <p>
 * The exception of an annotation or a rule has no stack trace, so that refusals cost
 * little. Its message names the annotated method, or the property of the rule. The
 * exception of {@link RateLimiter#acquire} has one.
 */
public class RateLimitExceededException extends GeRedisException {

	private final transient RateLimitDecision.Denied decision;

	/**
	 * Creates an exception with a stack trace.
	 * @param decision the decision
	 */
	public RateLimitExceededException(RateLimitDecision.Denied decision) {
		super("Rate limit exceeded: " + names(decision));
		this.decision = decision;
	}

	/**
	 * Creates an exception without a stack trace.
	 * @param decision the decision
	 * @param place the guarded method or rule, for the message
	 */
	public RateLimitExceededException(RateLimitDecision.Denied decision, String place) {
		super("Rate limit exceeded on " + place + ": " + names(decision), false);
		this.decision = decision;
	}

	private static String names(RateLimitDecision.Denied decision) {
		List<String> violated = decision.violated();
		return (violated.size() == 1) ? violated.get(0) : String.join(", ", violated);
	}

	/**
	 * Returns the names of the limits that refused.
	 */
	public List<String> violated() {
		return this.decision.violated();
	}

	/**
	 * Returns the time after which the call would be admitted without further calls.
	 * @return the wait, never too short
	 */
	public Duration retryAfter() {
		return this.decision.retryAfter();
	}

	/**
	 * Returns the state of each limit of the call.
	 */
	public List<Quota> quotas() {
		return this.decision.quotas();
	}

	@Override
	public Refusal refusal() {
		return Refusal
			.registered(429, "quota-exceeded", "Request cannot be satisfied as assigned quota has been exceeded",
					"Too many calls. Try again after the time in Retry-After.")
			.withMember("violated-policies", violated())
			.withRetryAfter(retryAfter());
	}

}
