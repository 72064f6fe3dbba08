// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.time.Duration;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.security.JwtTokens;
import io.ge.redis.security.OpaqueTokens;

import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;

/**
 * The code of the page on the blacklist.
 */
class BlacklistExamples {

	private final TokenBlacklist blacklist;

	private final OpaqueTokens opaqueTokens;

	BlacklistExamples(TokenBlacklist blacklist, OpaqueTokens opaqueTokens) {
		this.blacklist = blacklist;
		this.opaqueTokens = opaqueTokens;
	}

	// @formatter:off
	public void logout(Jwt token) {
		this.blacklist.revoke(JwtTokens.identity(token));
	}

	public boolean logoutEverywhere(String user) {
		return this.blacklist.revokeAll("https://issuer.example", user).awaitPropagation(Duration.ofSeconds(3));
	}

	public void reportStolen(String user) {
		this.blacklist.withReason("phone reported stolen").revokeAll("https://issuer.example", user);
	}

	@BlacklistCheck(name = "addresses", subject = "#address")
	public String register(String address) {
		return "welcome";
	}

	public void logout(BearerTokenAuthentication caller) {
		OAuth2AuthenticatedPrincipal principal = (OAuth2AuthenticatedPrincipal) caller.getPrincipal();
		this.blacklist.revoke(this.opaqueTokens.identity(caller.getToken().getTokenValue(), principal));
	}
	// @formatter:on

}
