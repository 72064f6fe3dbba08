/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.outage;

import java.time.Duration;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

/**
 * Redis did not decide, and the guard's policy is to refuse the call. Over HTTP a 503
 * with {@code Retry-After}, never a 401 or a 429.
 */
public class RedisUnavailableException extends GeRedisException {

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final OutageCause reason;

	private final boolean outcomeUnknown;

	RedisUnavailableException(String message, OutageCause reason, boolean outcomeUnknown, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
		this.outcomeUnknown = outcomeUnknown;
	}

	/**
	 * Returns why Redis did not decide.
	 * @return the cause
	 */
	public OutageCause reason() {
		return this.reason;
	}

	/**
	 * Returns whether the command may have run on the server all the same. What it may
	 * have left there is taken back as soon as Redis answers.
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

}
