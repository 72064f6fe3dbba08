// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Duration;
import java.time.Instant;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link BlacklistTokenValidator}.
 */
class BlacklistTokenValidatorTests {

	private final TokenBlacklist blacklist = mock(TokenBlacklist.class);

	private final BlacklistTokenValidator validator = new BlacklistTokenValidator(() -> this.blacklist,
			Duration.ofSeconds(60));

	@Test
	void acceptsTokenThatIsClear() {
		given(this.blacklist.check(any())).willReturn(TokenStatus.CLEAR);
		assertThat(this.validator.validate(expiringAt(Instant.now().minusSeconds(30))).hasErrors()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CLEAR")
	void refusesEverythingElseAsInvalidToken(TokenStatus status) {
		given(this.blacklist.check(any())).willReturn(status);
		OAuth2TokenValidatorResult result = this.validator.validate(expiringAt(Instant.now().plusSeconds(60)));
		assertThat(result.getErrors()).singleElement()
			.satisfies((error) -> assertThat(error.getErrorCode()).isEqualTo("invalid_token"))
			.extracting(OAuth2Error::getDescription)
			.isEqualTo(status.description());
	}

	/**
	 * Others refuse it.
	 */
	@Test
	void acceptsEveryTokenAsLongAsThereIsNoBlacklist() {
		BlacklistTokenValidator idle = new BlacklistTokenValidator(() -> null, Duration.ofSeconds(60));
		assertThat(idle.validate(expiringAt(Instant.now().minusSeconds(90))).hasErrors()).isFalse();
	}

	@Test
	void doesNotAskAboutExpiredToken() {
		OAuth2TokenValidatorResult result = this.validator.validate(expiringAt(Instant.now().minusSeconds(90)));
		assertThat(result.hasErrors()).isTrue();
		verifyNoInteractions(this.blacklist);
	}

	private static Jwt expiringAt(Instant instant) {
		return Jwt.withTokenValue("value").header("alg", "none").jti("id").expiresAt(instant).build();
	}

}
