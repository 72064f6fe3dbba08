// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;

/**
 * Refuses revoked JWTs where they are decoded. Spring Boot adds a bean of this type to
 * the decoder that it makes; an application with a {@code JwtDecoder} of its own adds it
 * to that decoder's validators, best as the last one. It accepts every token as long as
 * the application does not use the blacklist.
 * <p>
 * A revoked token is an {@code invalid_token}, so Spring Security answers 401. While
 * Redis is unavailable and the policy is to deny, the decoder fails instead. The answer
 * is then a 503, and clients keep their tokens.
 * <p>
 * Cost: as {@link TokenBlacklist#check}: none while this instance's memory is up to date,
 * else one script call for each decoded token; none for one that has expired.
 */
public class BlacklistTokenValidator implements OAuth2TokenValidator<Jwt>, Ordered {

	private final Supplier<@Nullable TokenBlacklist> blacklist;

	private final JwtTimestampValidator timestamps;

	/**
	 * Creates a validator.
	 * @param blacklist where the tokens are checked, asked for with each token;
	 * {@code null} as long as none is to be checked
	 * @param clockSkew the time after its expiry for which a token may be accepted;
	 * beyond it the token is refused without asking, since its revocation may have
	 * expired
	 */
	public BlacklistTokenValidator(Supplier<@Nullable TokenBlacklist> blacklist, Duration clockSkew) {
		this.blacklist = blacklist;
		this.timestamps = new JwtTimestampValidator(clockSkew);
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public OAuth2TokenValidatorResult validate(Jwt token) {
		TokenBlacklist blacklist = this.blacklist.get();
		if (blacklist == null) {
			return OAuth2TokenValidatorResult.success();
		}
		OAuth2TokenValidatorResult inTime = this.timestamps.validate(token);
		if (inTime.hasErrors()) {
			return inTime;
		}
		TokenStatus status = TokenChecks.check(blacklist, () -> JwtTokens.identity(token), TokenChecks.Jwts::outage);
		if (status == TokenStatus.CLEAR) {
			return OAuth2TokenValidatorResult.success();
		}
		TokenChecks.note(status);
		return OAuth2TokenValidatorResult.failure(TokenChecks.error(status));
	}

}
