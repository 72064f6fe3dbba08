// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Redis did not decide, and the guard's policy is to refuse the call. Over HTTP a 503
 * with {@code Retry-After}, never a 401 or a 429.
 * <p>
 * The message names the server, the guard, and the method that was called, if it is an
 * annotated one.
 */
public class RedisUnavailableException extends GeRedisException {

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final String server;

	private final String guard;

	private final String problem;

	private final OutageCause reason;

	private final boolean outcomeUnknown;

	private volatile @Nullable String method;

	public RedisUnavailableException(String server, String guard, String problem, OutageCause reason,
			boolean outcomeUnknown, @Nullable Throwable cause) {
		super(problem, cause);
		this.server = server;
		this.guard = guard;
		this.problem = problem;
		this.reason = reason;
		this.outcomeUnknown = outcomeUnknown;
	}

	/**
	 * Returns this failure with the stack of the current thread. It was found on another
	 * one, and several callers may share it.
	 * @return the failure of one caller
	 */
	public RedisUnavailableException ofCaller() {
		return ofCaller(this.guard);
	}

	/**
	 * Returns this failure with the stack of the current thread and the name of a guard.
	 * @param guard the pattern and the name, such as {@code lock 'orders'}
	 * @return the failure of one caller
	 */
	public RedisUnavailableException ofCaller(String guard) {
		return new RedisUnavailableException(this.server, guard, this.problem, this.reason, this.outcomeUnknown,
				getCause());
	}

	/**
	 * Adds the annotated method that was called. The innermost one is kept.
	 * @param method the method for people
	 * @return this failure
	 */
	public RedisUnavailableException in(String method) {
		if (this.method == null) {
			this.method = method;
		}
		return this;
	}

	@Override
	public String getMessage() {
		String called = this.method;
		return "Redis at " + this.server + " did not decide on " + this.guard
				+ ((called != null) ? " in " + called : "") + ": " + this.problem;
	}

	/**
	 * Returns why Redis did not decide.
	 * @return the cause
	 */
	public OutageCause reason() {
		return this.reason;
	}

	/**
	 * Returns whether the command may have run on the server nevertheless. Its effect is
	 * compensated as soon as Redis answers.
	 * @return whether the outcome is unknown
	 */
	public boolean isOutcomeUnknown() {
		return this.outcomeUnknown;
	}

	/**
	 * Returns when it makes sense to try again.
	 * @return the wait, at least a second
	 */
	public Duration retryAfter() {
		return RETRY_AFTER;
	}

	@Override
	public Refusal refusal() {
		return Refusal.temporary("The call cannot be decided at present. Please try again.")
			.withRetryAfter(retryAfter());
	}

}
