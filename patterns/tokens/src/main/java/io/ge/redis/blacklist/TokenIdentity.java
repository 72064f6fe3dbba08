// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The claims of a verified token. Never holds the token's text or signature.
 *
 * @param issuer the {@code iss} claim, or {@code null} if it has none
 * @param id the {@code jti} claim, unique for its issuer, or {@code null} if it has none;
 * blank counts as none
 * @param subject the {@code sub} claim, or {@code null} if it has none; blank counts as
 * none
 * @param issuedAt the {@code iat} claim, or {@code null} if it has none
 * @param expiresAt the {@code exp} claim, or {@code null} if it has none
 * @param issueStamp the {@link TokenBlacklist#ISSUE_STAMP_CLAIM} claim, or {@code null}
 * if it has none
 * @param sessionId the {@code sid} claim, or {@code null} if it has none; blank counts as
 * none
 * @param clientId the {@code client_id} claim, or {@code azp} in its place, or
 * {@code null} if it has neither; blank counts as none
 */
public record TokenIdentity(@Nullable String issuer, @Nullable String id, @Nullable String subject,
		@Nullable Instant issuedAt, @Nullable Instant expiresAt, @Nullable Long issueStamp, @Nullable String sessionId,
		@Nullable String clientId) {

	public TokenIdentity {
		id = StringUtils.hasText(id) ? id : null;
		subject = StringUtils.hasText(subject) ? subject : null;
		sessionId = StringUtils.hasText(sessionId) ? sessionId : null;
		clientId = StringUtils.hasText(clientId) ? clientId : null;
	}

	/**
	 * Creates an identity without session and client.
	 */
	public TokenIdentity(@Nullable String issuer, @Nullable String id, @Nullable String subject,
			@Nullable Instant issuedAt, @Nullable Instant expiresAt, @Nullable Long issueStamp) {
		this(issuer, id, subject, issuedAt, expiresAt, issueStamp, null, null);
	}

	/**
	 * Creates the identity of one token for revoking it.
	 * @param issuer the {@code iss} claim, or {@code null} if it has none
	 * @param id the {@code jti} claim
	 * @param expiresAt the {@code exp} claim
	 * @return the identity
	 */
	public static TokenIdentity of(@Nullable String issuer, String id, Instant expiresAt) {
		return new TokenIdentity(issuer, id, null, null, expiresAt, null);
	}

	/**
	 * Returns the identity of a token by its id alone.
	 * @param id the {@code jti} claim
	 * @return the identity, without issuer
	 */
	public static TokenIdentity ofId(String id) {
		return new TokenIdentity(null, id, null, null, null, null);
	}

	/**
	 * Returns a text that does not identify the token, for logs.
	 */
	@Override
	public String toString() {
		return "Token" + ((this.issuer != null) ? " of " + this.issuer : "");
	}

}
