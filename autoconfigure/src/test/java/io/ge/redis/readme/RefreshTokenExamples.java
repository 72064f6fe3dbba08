// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Instant;
import java.util.UUID;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.refresh.RefreshToken;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.blacklist.refresh.Rotation;

import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;

/**
 * The code of the page on refresh tokens.
 */
class RefreshTokenExamples {

	private final RefreshTokens refreshTokens;

	private final JwtEncoder encoder;

	RefreshTokenExamples(RefreshTokens refreshTokens, JwtEncoder encoder) {
		this.refreshTokens = refreshTokens;
		this.encoder = encoder;
	}

	// @formatter:off
	public Tokens login(String user) {
		return tokens(this.refreshTokens.issue("https://issuer.example", user));
	}

	public Tokens refresh(String refreshToken) {
		Rotation rotation = this.refreshTokens.rotate(refreshToken);
		if (rotation instanceof Rotation.Accepted accepted) {
			return tokens(accepted.token());
		}
		throw new LoginRequiredException();
	}

	private Tokens tokens(RefreshToken token) {
		Instant now = Instant.now();
		JwtClaimsSet accessToken = JwtClaimsSet.builder()
			.issuer("https://issuer.example")
			.subject(token.subject())
			.id(UUID.randomUUID().toString())
			.issuedAt(now)
			.expiresAt(now.plusSeconds(900))
			.claim("sid", token.sessionId())
			.claim(TokenBlacklist.ISSUE_STAMP_CLAIM, token.issueStamp())
			.build();
		return new Tokens(this.encoder.encode(JwtEncoderParameters.from(accessToken)).getTokenValue(), token.value());
	}
	// @formatter:on

	record Tokens(String accessToken, String refreshToken) {
	}

	static class LoginRequiredException extends RuntimeException {

	}

}
