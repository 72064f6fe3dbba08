// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Duration;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.security.LogoutTokens;

import org.springframework.http.ResponseEntity;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The code of the page on the blacklist that is about providers and proofs.
 */
class LogoutExamples {

	private final TokenBlacklist blacklist;

	private final JwtDecoder logoutTokens;

	private final UsedIds usedIds;

	LogoutExamples(TokenBlacklist blacklist, JwtDecoder logoutTokens, UsedIds usedIds) {
		this.blacklist = blacklist;
		this.logoutTokens = logoutTokens;
		this.usedIds = usedIds;
	}

	// @formatter:off
	public boolean isFirstUse(String loginLink) {
		return this.usedIds.use("login-links", loginLink, Duration.ofMinutes(15));
	}

	@PostMapping("/logout/connect/back-channel")
	public ResponseEntity<Void> logout(@RequestParam("logout_token") String logoutToken) {
		try {
			LogoutTokens.revoke(this.blacklist, this.logoutTokens.decode(logoutToken));
			return ResponseEntity.ok().build();
		}
		catch (BadJwtException ex) {
			return ResponseEntity.badRequest().build();
		}
	}
	// @formatter:on

}
