// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import org.jspecify.annotations.Nullable;

/**
 * The result of presenting a refresh token.
 */
public sealed interface Rotation {

	/**
	 * The token is good, and here is its successor.
	 */
	sealed interface Accepted extends Rotation {

		/**
		 * Returns the successor, which the client keeps instead.
		 * @return the token
		 */
		RefreshToken token();

	}

	/**
	 * The token is not accepted: the user must log in again. Over HTTP an
	 * {@code invalid_grant}.
	 */
	sealed interface Refused extends Rotation {

	}

	/**
	 * The token was used for the first time.
	 *
	 * @param token its successor
	 */
	record Rotated(RefreshToken token) implements Accepted {
	}

	/**
	 * The token was used a moment ago, within {@code ge.redis.refresh-tokens.grace}: by
	 * another tab, or by a client that did not receive the answer. Or its successor could
	 * not be given out because of an outage, and was not used since.
	 *
	 * @param token the latest of the session: the same successor as at first, or the
	 * token that has replaced it meanwhile
	 */
	record Repeated(RefreshToken token) implements Accepted {
	}

	/**
	 * The token was used before, or another of its session was: one of its two holders
	 * has stolen it. The session gets no more tokens, and its access tokens are revoked.
	 *
	 * @param sessionId the session that was ended
	 * @param issuer the issuer given at the login, or {@code null} if there was none
	 * @param subject the subject given at the login, who should be notified
	 * @param first whether the session was ended by this call, so that the subject is
	 * notified once however often such a token comes; more than one call of a session
	 * says so only if an earlier one failed or they came together
	 */
	record Reused(String sessionId, @Nullable String issuer, String subject, boolean first) implements Refused {
	}

	/**
	 * The session was ended: by {@link RefreshTokens#revoke}, or because the blacklist
	 * says so of the session, the subject or the client.
	 */
	record Revoked() implements Refused {
	}

	/**
	 * There is no such token: it was never issued, its session is too old, or Redis has
	 * lost it.
	 */
	record Unknown() implements Refused {
	}

}
