// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;

import io.ge.redis.blacklist.TokenBlacklist;
import org.jspecify.annotations.Nullable;

/**
 * A refresh token for a client, and what belongs into the access token that goes with it.
 *
 * @param value the token, 68 characters of base64url; a secret of the client
 * @param sessionId the session it belongs to, the same for all its successors; belongs
 * into the {@code sid} claim of access tokens, so that they end with the session
 * @param issuer the issuer given at the login, or {@code null} if there was none
 * @param subject the subject given at the login
 * @param clientId the client given at the login, or {@code null} if there was none
 * @param issueStamp the stamp of the login, the same for all successors; belongs into the
 * claim {@link TokenBlacklist#ISSUE_STAMP_CLAIM} of access tokens, so that revoking all
 * tokens of the subject also covers later ones of this login
 * @param timeToLive for how long the session can last, whatever is done with the token
 */
public record RefreshToken(String value, String sessionId, @Nullable String issuer, String subject,
		@Nullable String clientId, long issueStamp, Duration timeToLive) {

	RefreshToken next(String value) {
		return new RefreshToken(value, this.sessionId, this.issuer, this.subject, this.clientId, this.issueStamp,
				this.timeToLive);
	}

	/**
	 * Returns a text without the token, for logs.
	 */
	@Override
	public String toString() {
		return "Refresh token of session " + this.sessionId;
	}

}
