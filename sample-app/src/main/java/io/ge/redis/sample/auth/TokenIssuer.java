/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.sample.auth;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.stereotype.Component;

/**
 * Issues tokens. What makes an access token revocable is that it has an issuer and an id
 * ({@code jti}), which name the one token, and a subject and a time of issue, which name
 * all tokens of a user up to now.
 */
@Component
class TokenIssuer {

	private static final Duration LIFE = Duration.ofMinutes(15);

	private static final Log logger = LogFactory.getLog(TokenIssuer.class);

	private final SecureRandom random = new SecureRandom();

	private final JwtEncoder encoder;

	private final TokenBlacklist blacklist;

	TokenIssuer(JwtEncoder encoder, TokenBlacklist blacklist) {
		this.encoder = encoder;
		this.blacklist = blacklist;
	}

	IssuedTokens issue(String username) {
		return new IssuedTokens(accessToken(username), refreshToken(), "Bearer", LIFE.toSeconds());
	}

	private String accessToken(String username) {
		Instant now = Instant.now();
		JwtClaimsSet.Builder claims = JwtClaimsSet.builder()
			.issuer(JwtConfiguration.ISSUER)
			.subject(username)
			.id(UUID.randomUUID().toString())
			.issuedAt(now)
			.expiresAt(now.plus(LIFE));
		stamp(claims, username);
		return this.encoder.encode(JwtEncoderParameters.from(claims.build())).getTokenValue();
	}

	/**
	 * The time of issue in a JWT has seconds only. The stamp tells this token from those
	 * that a logout a moment ago has revoked; without it, when Redis is away, this token
	 * is one of them.
	 */
	private void stamp(JwtClaimsSet.Builder claims, String username) {
		try {
			claims.claim(TokenBlacklist.ISSUE_STAMP_CLAIM,
					this.blacklist.issueStamp(JwtConfiguration.ISSUER, username));
		}
		catch (RedisUnavailableException ex) {
			logger.debug("Issued a token without a stamp", ex);
		}
	}

	private String refreshToken() {
		byte[] bytes = new byte[32];
		this.random.nextBytes(bytes);
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
	}

}
