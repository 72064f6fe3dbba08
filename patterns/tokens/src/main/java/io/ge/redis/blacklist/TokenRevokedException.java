// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import io.ge.redis.GeRedisException;
import io.ge.redis.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * A call presented a token that is not accepted any more, and has not run. Over HTTP a
 * 401 with {@code WWW-Authenticate: Bearer error="invalid_token"}.
 */
public class TokenRevokedException extends GeRedisException {

	private final String name;

	private final TokenStatus status;

	private final @Nullable String reason;

	/**
	 * Creates an exception without a reason.
	 */
	public TokenRevokedException(String name, TokenStatus status) {
		this(name, status, null);
	}

	/**
	 * Creates an exception.
	 * @param reason why it was revoked, or {@code null}
	 */
	public TokenRevokedException(String name, TokenStatus status, @Nullable String reason) {
		super(status.description() + " (blacklist '" + name + "')");
		this.name = name;
		this.status = status;
		this.reason = reason;
	}

	/**
	 * Returns the name of the check that refused.
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns why the token is refused.
	 * @return the status, never {@link TokenStatus#CLEAR}
	 */
	public TokenStatus status() {
		return this.status;
	}

	/**
	 * Returns why the token was revoked. For logs and handlers of the application: it is
	 * no part of the message or of the answer over HTTP.
	 * @return the reason, as given to {@link TokenBlacklist#withReason}, or {@code null}
	 * if none was given or this instance does not remember it
	 */
	public @Nullable String reason() {
		return this.reason;
	}

	@Override
	public Refusal refusal() {
		String description = this.status.description();
		return Refusal.of(401, "token-revoked", "Token is not accepted any more", description + ".")
			.withHeader("WWW-Authenticate",
					"Bearer error=\"invalid_token\", error_description=\"" + description + "\"");
	}

}
