// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.invocation.Times;
import org.jspecify.annotations.Nullable;

import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Logout tokens of OpenID Connect Back-Channel Logout 1.0, by which a provider reports
 * that a session, or all of a user, ended.
 */
public final class LogoutTokens {

	private static final String EVENT = "http://schemas.openid.net/event/backchannel-logout";

	private static final String ERROR_URI = "https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation";

	private static final String SESSION_ID = "sid";

	/** Older ones are taken for a replay. */
	private static final Duration LONGEST_AGE = Duration.ofMinutes(5);

	private LogoutTokens() {
	}

	/**
	 * Returns all validators of a logout token but the one of its signature, which the
	 * decoder checks. They check the issuer, the audience, the kind of token and that it
	 * is new. Its {@code typ} must be {@code logout+jwt}, {@code JWT} or absent. It must
	 * have an expiry, not be over, and have been issued in the last 5 minutes; clocks may
	 * disagree by 60 seconds. Within that time it can be presented again.
	 * @param issuer the provider
	 * @param audience what the provider knows this application by: its client id
	 * @return the validator
	 */
	public static OAuth2TokenValidator<Jwt> validator(String issuer, String audience) {
		Assert.hasText(issuer, "The issuer must not be blank");
		Assert.hasText(audience, "The audience must not be blank");
		JwtTypeValidator types = new JwtTypeValidator("JWT", "logout+jwt");
		types.setAllowEmpty(true);
		JwtTimestampValidator times = new JwtTimestampValidator();
		times.setAllowEmptyExpiryClaim(false);
		OAuth2TokenValidator<Jwt> claims = (token) -> {
			String problem = problem(token, audience);
			return (problem == null) ? times.validate(ageOf(token)) : OAuth2TokenValidatorResult
				.failure(new OAuth2Error(OAuth2ErrorCodes.INVALID_REQUEST, problem, ERROR_URI));
		};
		return JwtValidators.createDefaultWithValidators(List.of(types, times, new JwtIssuerValidator(issuer), claims));
	}

	private static Jwt ageOf(Jwt token) {
		Instant issuedAt = token.getIssuedAt();
		Assert.state(issuedAt != null, "The token has no iat claim");
		return Jwt.withTokenValue(token.getTokenValue())
			.headers((headers) -> headers.putAll(token.getHeaders()))
			.notBefore(issuedAt)
			.expiresAt(Instant.ofEpochMilli(Times.epochMilli(issuedAt)).plus(LONGEST_AGE))
			.build();
	}

	private static @Nullable String problem(Jwt token, String audience) {
		if (!(token.getClaim("events") instanceof Map<?, ?> events) || !events.containsKey(EVENT)) {
			return "The token is not about a logout";
		}
		List<String> audiences = token.getAudience();
		if (audiences == null || !audiences.contains(audience)) {
			return "The token is for another audience";
		}
		if (!StringUtils.hasText(token.getId()) || JwtTokens.issuedAt(token) == null) {
			return "The token has no jti or iat claim";
		}
		if (!StringUtils.hasText(JwtTokens.text(token, SESSION_ID)) && !StringUtils.hasText(token.getSubject())) {
			return "The token has neither sid nor sub claim";
		}
		return (token.getClaim("nonce") != null) ? "The token has a nonce" : null;
	}

	/**
	 * Revokes what a logout token is about: the tokens of its session, or, if it names
	 * none, all of its subject until now.
	 * @param blacklist where they are revoked
	 * @param logoutToken the token, validated
	 * @return the revocation
	 * @throws IllegalArgumentException if the token has neither {@code sid} nor
	 * {@code sub} claim
	 * @throws io.ge.redis.RedisUnavailableException if Redis did not take it
	 */
	public static Revocation revoke(TokenBlacklist blacklist, ClaimAccessor logoutToken) {
		String issuer = JwtTokens.text(logoutToken, JwtClaimNames.ISS);
		String sessionId = JwtTokens.text(logoutToken, SESSION_ID);
		if (StringUtils.hasText(sessionId)) {
			return blacklist.revokeSession(issuer, sessionId);
		}
		String subject = JwtTokens.text(logoutToken, JwtClaimNames.SUB);
		Assert.hasText(subject, "The logout token has neither sid nor sub claim");
		return blacklist.revokeAll(issuer, subject);
	}

}
