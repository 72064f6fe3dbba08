// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import java.security.Principal;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.security.JwtTokens;

import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Ends what a login began, on all instances at once. Nothing needs to be kept of tokens
 * that are still good: only revocations stand in Redis, for as long as the tokens would
 * have lived.
 */
@RestController
class LogoutController {

	private final TokenBlacklist blacklist;

	LogoutController(TokenBlacklist blacklist) {
		this.blacklist = blacklist;
	}

	/**
	 * The session of the token ends, and with it the refresh token and all access tokens
	 * that were made of it. A token that was issued without a session ends alone.
	 */
	@PostMapping("/api/auth/logout")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void logout(@AuthenticationPrincipal Jwt token) {
		String session = token.getClaimAsString("sid");
		if (StringUtils.hasText(session)) {
			this.blacklist.revokeSession(JwtConfiguration.ISSUER, session);
		}
		else {
			this.blacklist.revoke(JwtTokens.identity(token));
		}
	}

	/**
	 * One entry for the user, however many tokens and sessions there are.
	 */
	@PostMapping("/api/auth/logout-all")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void logoutAll(Principal caller) {
		this.blacklist.revokeAll(JwtConfiguration.ISSUER, caller.getName());
	}

}
