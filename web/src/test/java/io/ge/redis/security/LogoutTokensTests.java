// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.blacklist.TokenBlacklist;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.verifyNoMoreInteractions;

/**
 * Tests for {@link LogoutTokens} and {@link BackChannelLogoutHandler}.
 */
class LogoutTokensTests {

	private static final String ISSUER = "https://issuer.example";

	private static final SecretKey KEY = new SecretKeySpec(
			"a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

	private final OAuth2TokenValidator<Jwt> validator = LogoutTokens.validator(ISSUER, "desk");

	private final TokenBlacklist blacklist = mock(TokenBlacklist.class);

	private final BackChannelLogoutHandler handler = new BackChannelLogoutHandler(() -> this.blacklist);

	@Test
	void acceptsLogoutTokens() {
		assertThat(this.validator.validate(token().build()).hasErrors()).isFalse();
		assertThat(this.validator.validate(token().claims((claims) -> claims.remove("sid")).build()).hasErrors())
			.isFalse();
		assertThat(this.validator.validate(token().claims((claims) -> claims.remove("sub")).build()).hasErrors())
			.isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "iss", "events", "aud", "jti", "iat", "exp" })
	void refusesTokensThatLackClaim(String claim) {
		assertThat(this.validator.validate(token().claims((claims) -> claims.remove(claim)).build()).hasErrors())
			.isTrue();
	}

	@Test
	void refusesOtherTokens() {
		assertThat(this.validator.validate(token().claim("nonce", "n").build()).hasErrors()).isTrue();
		assertThat(this.validator.validate(token().audience(List.of("till")).build()).hasErrors()).isTrue();
		assertThat(this.validator.validate(token().claim("events", Map.of("other", Map.of())).build()).hasErrors())
			.isTrue();
		assertThat(this.validator.validate(token().claim("events", "text").build()).hasErrors()).isTrue();
		assertThat(this.validator.validate(token().claims((claims) -> {
			claims.remove("sid");
			claims.remove("sub");
		}).build()).hasErrors()).isTrue();
	}

	/**
	 * As they come out of a decoder, which makes up a time of issue where there is none.
	 */
	@Test
	void acceptsLogoutTokensOfEveryTypeThatTheyMayHave() {
		Instant now = Instant.now();
		decode(null, now, now.plusSeconds(120));
		decode("JWT", now, now.plusSeconds(120));
		decode("logout+jwt", now, now.plusSeconds(120));
		decode("logout+jwt", now.plusSeconds(30), now.plusSeconds(120));
		assertRefused("at+jwt", now, now.plusSeconds(120), "typ");
	}

	@Test
	void refusesTokensThatAreNotNew() {
		Instant now = Instant.now();
		assertRefused("logout+jwt", now.minusSeconds(600), now.plusSeconds(120), "expired");
		assertRefused("logout+jwt", now.minusSeconds(200), now.minusSeconds(100), "expired");
		assertRefused("logout+jwt", now.plusSeconds(600), now.plusSeconds(700), "before");
		assertRefused("logout+jwt", null, now.plusSeconds(120), "iat");
		assertRefused("logout+jwt", now, null, "exp");
	}

	@Test
	void revokesTheSessionAndNothingElse() {
		logout(token().build());
		verify(this.blacklist).revokeSession(ISSUER, "session");
		verifyNoMoreInteractions(this.blacklist);
	}

	@Test
	void revokesAllOfTheSubjectWhereNoSessionIsNamed() {
		logout(token().claims((claims) -> claims.remove("sid")).build());
		verify(this.blacklist).revokeAll(ISSUER, "anna");
		verifyNoMoreInteractions(this.blacklist);
	}

	@Test
	void blankSessionIsNone() {
		assertThat(logout(token().claim("sid", "").build())).isEqualTo(200);
		verify(this.blacklist).revokeAll(ISSUER, "anna");
		assertThat(logout(token().claim("sid", "").claim("sub", " ").build())).isEqualTo(400);
		verifyNoMoreInteractions(this.blacklist);
	}

	@Test
	void whatIsNoLogoutTokenEndsNothing() {
		logout(token().claims((claims) -> claims.remove("events")).build());
		logout("anna");
		this.handler.logout(new MockHttpServletRequest(), new MockHttpServletResponse(), null);
		verifyNoInteractions(this.blacklist);
		assertThatIllegalArgumentException().isThrownBy(() -> LogoutTokens.revoke(this.blacklist,
				Jwt.withTokenValue("value").header("alg", "none").claim("iss", ISSUER).build()));
	}

	private int logout(Object principal) {
		MockHttpServletResponse response = new MockHttpServletResponse();
		this.handler.logout(new MockHttpServletRequest(), response,
				new TestingAuthenticationToken(principal, "credentials"));
		return response.getStatus();
	}

	private static void assertRefused(String type, @Nullable Instant issuedAt, @Nullable Instant expiresAt,
			String reason) {
		assertThatExceptionOfType(JwtValidationException.class).isThrownBy(() -> decode(type, issuedAt, expiresAt))
			.withMessageContaining(reason);
	}

	private static void decode(@Nullable String type, @Nullable Instant issuedAt, @Nullable Instant expiresAt) {
		JwtClaimsSet.Builder claims = JwtClaimsSet.builder()
			.issuer(ISSUER)
			.audience(List.of("desk"))
			.id("id")
			.subject("anna")
			.claim("events", Map.of("http://schemas.openid.net/event/backchannel-logout", Map.of()));
		if (issuedAt != null) {
			claims.issuedAt(issuedAt);
		}
		if (expiresAt != null) {
			claims.expiresAt(expiresAt);
		}
		JwsHeader.Builder header = JwsHeader.with(MacAlgorithm.HS256);
		if (type != null) {
			header.type(type);
		}
		String token = NimbusJwtEncoder.withSecretKey(KEY)
			.algorithm(MacAlgorithm.HS256)
			.build()
			.encode(JwtEncoderParameters.from(header.build(), claims.build()))
			.getTokenValue();
		NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(KEY).build();
		decoder.setJwtValidator(LogoutTokens.validator(ISSUER, "desk"));
		decoder.decode(token);
	}

	private static Jwt.Builder token() {
		Instant now = Instant.now();
		return Jwt.withTokenValue("value")
			.header("alg", "none")
			.issuer(ISSUER)
			.audience(List.of("desk"))
			.jti("id")
			.issuedAt(now)
			.expiresAt(now.plusSeconds(120))
			.subject("anna")
			.claim("sid", "session")
			.claim("events", Map.of("http://schemas.openid.net/event/backchannel-logout", Map.of()));
	}

}
