// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Instant;
import java.util.Map;

import io.ge.redis.blacklist.TokenIdentity;
import org.junit.jupiter.api.Test;

import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OpaqueTokens}.
 */
class OpaqueTokensTests {

	private static final Instant ISSUED = Instant.ofEpochSecond(1_700_000_000);

	private static final Instant EXPIRES = ISSUED.plusSeconds(300);

	private final OpaqueTokens tokens = new OpaqueTokens();

	@Test
	void readsWhatTheIntrospectionSays() {
		OAuth2AuthenticatedPrincipal principal = principal(Map.of("iss", "issuer", "jti", "id", "sub", "anna", "iat",
				ISSUED, "exp", EXPIRES, "ge_stamp", 42L, "sid", "session", "client_id", "desk"));
		assertThat(this.tokens.identity("token", principal))
			.isEqualTo(new TokenIdentity("issuer", "id", "anna", ISSUED, EXPIRES, 42L, "session", "desk"));
	}

	@Test
	void readsNumbersOfSecondsAndTheAuthorizedParty() {
		OAuth2AuthenticatedPrincipal principal = principal(
				Map.of("jti", "id", "iat", 1_700_000_000, "exp", 1_700_000_300L, "azp", "desk"));
		assertThat(this.tokens.identity("token", principal))
			.isEqualTo(new TokenIdentity(null, "id", null, ISSUED, EXPIRES, null, null, "desk"));
	}

	@Test
	void tokenWithoutIdIsKnownByItsHash() {
		OAuth2AuthenticatedPrincipal principal = principal(Map.of("sub", "anna"));
		TokenIdentity identity = this.tokens.identity("token", principal);
		assertThat(identity.id()).isEqualTo("sha-256:PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A");
		assertThat(this.tokens.identity("token", principal)).isEqualTo(identity);
		assertThat(this.tokens.identity("other", principal).id()).isNotEqualTo(identity.id());
	}

	@Test
	void issuerIsTheConfiguredOneUnlessTheIntrospectionNamesIt() {
		OpaqueTokens configured = new OpaqueTokens("configured");
		assertThat(configured.identity("token", principal(Map.of("sub", "anna"))).issuer()).isEqualTo("configured");
		assertThat(configured.identity("token", principal(Map.of("iss", "named"))).issuer()).isEqualTo("named");
		assertThat(new OpaqueTokens(" ").identity("token", principal(Map.of("sub", "anna"))).issuer()).isNull();
	}

	@Test
	void readsTheAuthenticationOfTheCaller() {
		OAuth2AuthenticatedPrincipal principal = principal(Map.of("sub", "anna"));
		OAuth2AccessToken token = new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER, "token", ISSUED, EXPIRES);
		assertThat(this.tokens.read(new BearerTokenAuthentication(principal, token, AuthorityUtils.NO_AUTHORITIES)))
			.isEqualTo(this.tokens.identity("token", principal));
		assertThat(this.tokens.read("token")).isNull();
	}

	private static OAuth2AuthenticatedPrincipal principal(Map<String, Object> attributes) {
		return new DefaultOAuth2AuthenticatedPrincipal("anna", attributes, AuthorityUtils.NO_AUTHORITIES);
	}

}
