// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.nio.charset.StandardCharsets;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.RefreshTokenAutoConfiguration;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.security.JwtTokens;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of the page on refresh tokens does what the page says.
 */
class RefreshTokenExamplesIntegrationTests {

	private static final SecretKey KEY = new SecretKeySpec(
			"a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class))
		.withUserConfiguration(RefreshTokenExamples.class)
		.withBean(JwtEncoder.class, () -> NimbusJwtEncoder.withSecretKey(KEY).algorithm(MacAlgorithm.HS256).build())
		.withPropertyValues(SharedRedis.properties());

	@Test
	void accessTokensEndWithTheSession() {
		SharedRedis.standalone().flushAll();
		this.runner.withPropertyValues("ge.redis.refresh-tokens.grace=0s").run((context) -> {
			RefreshTokenExamples examples = context.getBean(RefreshTokenExamples.class);
			TokenBlacklist blacklist = context.getBean(TokenBlacklist.class);
			RefreshTokenExamples.Tokens login = examples.login("anna");
			RefreshTokenExamples.Tokens refreshed = examples.refresh(login.refreshToken());
			assertThat(status(blacklist, refreshed)).isEqualTo(TokenStatus.CLEAR);
			assertThatExceptionOfType(RefreshTokenExamples.LoginRequiredException.class)
				.isThrownBy(() -> examples.refresh(login.refreshToken()));
			assertThat(status(blacklist, login)).isEqualTo(TokenStatus.SESSION_REVOKED);
			assertThat(status(blacklist, refreshed)).isEqualTo(TokenStatus.SESSION_REVOKED);
		});
	}

	private static TokenStatus status(TokenBlacklist blacklist, RefreshTokenExamples.Tokens tokens) {
		Jwt jwt = NimbusJwtDecoder.withSecretKey(KEY).build().decode(tokens.accessToken());
		return blacklist.check(JwtTokens.identity(jwt));
	}

}
