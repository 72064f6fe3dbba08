// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.security.BlacklistTokenValidator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/**
 * Tokens signed with HS256. All instances of the desk need the same
 * {@code sample.jwt-key}.
 */
@Configuration(proxyBeanMethods = false)
class JwtConfiguration {

	static final String ISSUER = "https://desk.example";

	private static final Log logger = LogFactory.getLog(JwtConfiguration.class);

	/** What HS256 asks for. */
	private static final int KEY_BYTES = 32;

	@Bean
	SecretKey jwtKey(@Value("${sample.jwt-key:}") String text) {
		byte[] key = text.getBytes(StandardCharsets.UTF_8);
		if (key.length == 0) {
			logger.info("No sample.jwt-key: tokens of this instance are signed with a key that lasts until it stops");
			key = new byte[KEY_BYTES];
			new SecureRandom().nextBytes(key);
		}
		if (key.length < KEY_BYTES) {
			throw new IllegalArgumentException(
					"sample.jwt-key must have at least " + KEY_BYTES + " bytes, for example 32 letters and digits");
		}
		return new SecretKeySpec(key, "HmacSHA256");
	}

	@Bean
	JwtEncoder jwtEncoder(SecretKey jwtKey) {
		return NimbusJwtEncoder.withSecretKey(jwtKey).algorithm(MacAlgorithm.HS256).build();
	}

	/**
	 * The last validator refuses what was revoked. Spring Boot would add it to a decoder
	 * of its own making; this one is made here, since Boot makes none for a shared key.
	 */
	@Bean
	JwtDecoder jwtDecoder(SecretKey jwtKey, BlacklistTokenValidator blacklist) {
		NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(jwtKey).macAlgorithm(MacAlgorithm.HS256).build();
		decoder.setJwtValidator(
				new DelegatingOAuth2TokenValidator<>(JwtValidators.createDefaultWithIssuer(ISSUER), blacklist));
		return decoder;
	}

}
