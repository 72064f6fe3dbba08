// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import io.ge.redis.security.BlacklistTokenValidator;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * The decoder of the page on the blacklist.
 */
@Configuration(proxyBeanMethods = false)
class DecoderExamples {

	// @formatter:off
	@Bean
	JwtDecoder accessTokens(BlacklistTokenValidator notRevoked) {
		NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri("https://issuer.example/jwks").build();
		decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(
				JwtValidators.createDefaultWithIssuer("https://issuer.example"), notRevoked));
		return decoder;
	}
	// @formatter:on

}
