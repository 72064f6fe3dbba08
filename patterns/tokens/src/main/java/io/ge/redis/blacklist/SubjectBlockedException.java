// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * The subject of a call is blocked, and the call has not run. Over HTTP a 403.
 */
public class SubjectBlockedException extends GeRedisException {

	private final String name;

	private final @Nullable String reason;

	/**
	 * Creates an exception without a reason.
	 */
	public SubjectBlockedException(String name) {
		this(name, null);
	}

	/**
	 * Creates an exception.
	 * @param reason why the subject is blocked, or {@code null}
	 */
	public SubjectBlockedException(String name, @Nullable String reason) {
		super("The subject is blocked (blacklist '" + name + "')");
		this.name = name;
		this.reason = reason;
	}

	/**
	 * Returns the name of the list that refused.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns why the subject is blocked. For logs and handlers of the application: it is
	 * no part of the message or of the answer over HTTP.
	 * @return the reason, as given to {@link TokenBlacklist#withReason}, or {@code null}
	 * if none was given or this instance does not remember it
	 */
	public @Nullable String reason() {
		return this.reason;
	}

	@Override
	public Refusal refusal() {
		return Refusal.of(403, "subject-blocked", "Blocked", "This caller or subject is blocked.");
	}

}
