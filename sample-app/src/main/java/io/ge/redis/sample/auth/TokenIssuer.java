// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.refresh.RefreshToken;
import org.jspecify.annotations.Nullable;

import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.stereotype.Component;

/**
 * Makes access tokens. What makes one revocable is that it has an issuer and an id
 * ({@code jti}), which name the one token, a session ({@code sid}), which ends with the
 * refresh token, and a subject, which names all tokens of a user up to now. The time of
 * issue in a JWT has seconds only; the stamp of the login tells its tokens from those
 * that a logout a moment ago has revoked.
 */
@Component
class TokenIssuer {

	private static final Duration LIFE = Duration.ofMinutes(15);

	private final JwtEncoder encoder;

	TokenIssuer(JwtEncoder encoder) {
		this.encoder = encoder;
	}

	IssuedTokens issue(RefreshToken session) {
		JwtClaimsSet.Builder claims = claims(session.subject()).claim("sid", session.sessionId())
			.claim(TokenBlacklist.ISSUE_STAMP_CLAIM, session.issueStamp());
		return tokens(claims, session.value());
	}

	/**
	 * Issues an access token without a session, which lasts until it expires.
	 */
	IssuedTokens issueWithoutSession(String username) {
		return tokens(claims(username), null);
	}

	private static JwtClaimsSet.Builder claims(String username) {
		Instant now = Instant.now();
		return JwtClaimsSet.builder()
			.issuer(JwtConfiguration.ISSUER)
			.subject(username)
			.id(UUID.randomUUID().toString())
			.issuedAt(now)
			.expiresAt(now.plus(LIFE));
	}

	private IssuedTokens tokens(JwtClaimsSet.Builder claims, @Nullable String refreshToken) {
		String accessToken = this.encoder.encode(JwtEncoderParameters.from(claims.build())).getTokenValue();
		return new IssuedTokens(accessToken, refreshToken, "Bearer", LIFE.toSeconds());
	}

}
