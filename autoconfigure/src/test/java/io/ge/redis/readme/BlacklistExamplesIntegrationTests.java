// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistSecurityAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.blacklist.SubjectBlockedException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.security.JwtTokens;
import io.ge.redis.security.LogoutTokens;
import io.ge.redis.security.OpaqueTokens;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of the page on the blacklist does what the page says.
 */
class BlacklistExamplesIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class))
		.withUserConfiguration(BlacklistExamples.class)
		.withPropertyValues(SharedRedis.properties());

	@Test
	void refusesWhatThePageSays() {
		SharedRedis.standalone().flushAll();
		this.runner.run((context) -> {
			BlacklistExamples examples = context.getBean(BlacklistExamples.class);
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			Jwt first = jwt("1");
			Jwt second = jwt("2");
			TokenIdentity ofBoris = new TokenIdentity("https://issuer.example", "3", "boris", Instant.now(),
					Instant.now().plusSeconds(60), null);
			examples.logout(first);
			assertThat(blacklist.check(JwtTokens.identity(first))).isEqualTo(TokenStatus.REVOKED);
			assertThat(blacklist.check(JwtTokens.identity(second))).isEqualTo(TokenStatus.CLEAR);
			assertThat(examples.logoutEverywhere("anna")).isTrue();
			assertThat(blacklist.check(JwtTokens.identity(second))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			examples.reportStolen("boris");
			assertThat(blacklist.check(ofBoris)).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			blacklist.block("addresses", "10.0.0.1", Duration.ofMinutes(1));
			assertThat(examples.register("10.0.0.2")).isEqualTo("welcome");
			assertThatExceptionOfType(SubjectBlockedException.class).isThrownBy(() -> examples.register("10.0.0.1"));
		});
	}

	@Test
	void refusesOpaqueTokenThatWasLoggedOut() {
		SharedRedis.standalone().flushAll();
		this.runner.run((context) -> {
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			OpaqueTokens tokens = context.getBean(OpaqueTokens.class);
			OAuth2AuthenticatedPrincipal principal = new DefaultOAuth2AuthenticatedPrincipal("anna",
					Map.of("sub", "anna", "exp", Instant.now().plusSeconds(60)), AuthorityUtils.NO_AUTHORITIES);
			OAuth2AccessToken token = new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER, "token", null, null);
			context.getBean(BlacklistExamples.class)
				.logout(new BearerTokenAuthentication(principal, token, AuthorityUtils.NO_AUTHORITIES));
			assertThat(blacklist.check(tokens.identity("token", principal))).isEqualTo(TokenStatus.REVOKED);
			assertThat(blacklist.check(tokens.identity("other", principal))).isEqualTo(TokenStatus.CLEAR);
		});
	}

	@Test
	void decoderWithTheValidatorIsAccepted() {
		this.runner.withUserConfiguration(DecoderExamples.class)
			.run((context) -> assertThat(context).hasNotFailed().hasBean("accessTokens"));
	}

	@Test
	void endsTheSessionThatTheProviderNames() {
		SharedRedis.standalone().flushAll();
		SecretKey key = new SecretKeySpec("a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8),
				"HmacSHA256");
		this.runner.run((context) -> {
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(key).build();
			decoder.setJwtValidator(LogoutTokens.validator("https://issuer.example", "desk"));
			LogoutExamples examples = new LogoutExamples(blacklist, decoder, context.getBean(UsedIds.class));
			TokenIdentity token = new TokenIdentity("https://issuer.example", "id", "anna", Instant.now(),
					Instant.now().plusSeconds(60), null, "session", null);
			assertThat(examples.logout(signed(key, claims().build())).getStatusCode())
				.isEqualTo(HttpStatus.BAD_REQUEST);
			assertThat(examples.logout("forged").getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
			assertThat(blacklist.check(token)).isEqualTo(TokenStatus.CLEAR);
			JwtClaimsSet logout = claims().audience(List.of("desk"))
				.claim("events", Map.of("http://schemas.openid.net/event/backchannel-logout", Map.of()))
				.build();
			assertThat(examples.logout(signed(key, logout)).getStatusCode()).isEqualTo(HttpStatus.OK);
			assertThat(blacklist.check(token)).isEqualTo(TokenStatus.SESSION_REVOKED);
			assertThat(examples.isFirstUse("link")).isTrue();
			assertThat(examples.isFirstUse("link")).isFalse();
		});
	}

	private static JwtClaimsSet.Builder claims() {
		return JwtClaimsSet.builder()
			.issuer("https://issuer.example")
			.id("logout")
			.issuedAt(Instant.now())
			.expiresAt(Instant.now().plusSeconds(60))
			.claim("sid", "session");
	}

	private static String signed(SecretKey key, JwtClaimsSet claims) {
		return NimbusJwtEncoder.withSecretKey(key)
			.algorithm(MacAlgorithm.HS256)
			.build()
			.encode(JwtEncoderParameters.from(JwsHeader.with(MacAlgorithm.HS256).type("logout+jwt").build(), claims))
			.getTokenValue();
	}

	private static Jwt jwt(String id) {
		Instant now = Instant.now();
		return Jwt.withTokenValue("value")
			.header("alg", "none")
			.issuer("https://issuer.example")
			.subject("anna")
			.jti(id)
			.issuedAt(now)
			.expiresAt(now.plusSeconds(60))
			.build();
	}

}
