// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Instant;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import org.junit.jupiter.api.Test;

import org.springframework.security.oauth2.jwt.Jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link JwtTokens}.
 */
class JwtTokensTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	@Test
	void readsClaims() {
		TokenIdentity identity = JwtTokens.identity(jwt().claim("iss", "self")
			.jti("id")
			.subject("anna")
			.issuedAt(NOW)
			.claim(TokenBlacklist.ISSUE_STAMP_CLAIM, 1_790_000_000_000_000L)
			.build());
		assertThat(identity)
			.isEqualTo(new TokenIdentity("self", "id", "anna", NOW, NOW.plusSeconds(300), 1_790_000_000_000_000L));
		assertThat(identity.toString()).doesNotContain("id=", "anna");
	}

	@Test
	void readsNothingFromClaimsThatAreMissingOrForeign() {
		TokenIdentity identity = JwtTokens
			.identity(jwt().claim(TokenBlacklist.ISSUE_STAMP_CLAIM, "9999999999999999").jti("").build());
		assertThat(identity).isEqualTo(new TokenIdentity(null, null, null, null, NOW.plusSeconds(300), null));
	}

	/**
	 * Some providers count their sessions, and end them by a logout token that does too.
	 */
	@Test
	void sessionThatIsANumberHasTheNameThatALogoutTokenEnds() {
		TokenBlacklist blacklist = mock(TokenBlacklist.class);
		LogoutTokens.revoke(blacklist, jwt().claim("iss", "self").claim("sid", 42L).build());
		verify(blacklist).revokeSession("self", "42");
		assertThat(JwtTokens.identity(jwt().claim("sid", 42L).build()).sessionId()).isEqualTo("42");
	}

	@Test
	void doesNotBelieveTheIssueTimeThatSpringSecurityMakesUp() {
		Jwt jwt = jwt().issuedAt(NOW.plusSeconds(299)).build();
		assertThat(JwtTokens.identity(jwt).issuedAt()).isNull();
	}

	@Test
	void knowsNothingElse() {
		assertThat(new JwtTokens().read("text")).isNull();
	}

	private static Jwt.Builder jwt() {
		return Jwt.withTokenValue("value").header("alg", "none").expiresAt(NOW.plusSeconds(300));
	}

}
