// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.nio.charset.StandardCharsets;

import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.BlacklistSecurityAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JwtDecoderChecks} in applications with a decoder of their own.
 */
@ExtendWith(OutputCaptureExtension.class)
class JwtDecoderChecksIntegrationTests {

	private static final String USED = "ge.redis.blacklist.enabled=true";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues(USED);

	private final WebApplicationContextRunner unused = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, BlacklistSecurityAutoConfiguration.class,
				SecurityAutoConfiguration.class, ServletWebSecurityAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties());

	private final WebApplicationContextRunner web = this.unused.withPropertyValues(USED);

	@Test
	void decoderThatDoesNotCheckFailsTheStartWithTheRemedy() {
		this.runner.withUserConfiguration(Unchecked.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("The JwtDecoder 'decoder'")
				.hasMessageContaining("may accept tokens that were revoked")
				.extracting((failure) -> ((GuardConfigurationException) failure).remedy())
				.asString()
				.contains(BlacklistTokenValidator.class.getName(), "ge.redis.blacklist.unchecked-decoder=warn");
		});
	}

	@Test
	void decoderThatDoesNotCheckIsWarnedOfIfConfigured(CapturedOutput output) {
		this.runner.withUserConfiguration(Unchecked.class)
			.withPropertyValues("ge.redis.blacklist.unchecked-decoder=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("may accept tokens that were revoked");
	}

	@Test
	void nothingIsSaidWhereNothingIsToBeChecked(CapturedOutput output) {
		this.runner.withUserConfiguration(Unchecked.class)
			.withPropertyValues("ge.redis.blacklist.validate-jwt=false")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("may accept tokens that were revoked");
	}

	@Test
	void nothingIsSaidWhereTheBlacklistIsNotUsed(CapturedOutput output) {
		this.unused.withUserConfiguration(Unchecked.class, BeanOfChain.class)
			.run((context) -> assertThat(context).hasNotFailed());
		this.unused.withUserConfiguration(KeysOfChain.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("may accept tokens that were revoked");
	}

	@Test
	void decoderThatChecksIsFine(CapturedOutput output) {
		this.runner.withUserConfiguration(Checked.class).run((context) -> assertThat(context).hasNotFailed());
		this.runner.withUserConfiguration(Nested.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("may accept tokens that were revoked");
	}

	@Test
	void decoderIntoWhichNothingIsInjectedIsReportedWhateverItIs() {
		this.runner.withUserConfiguration(Foreign.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasMessageContaining("The JwtDecoder 'decoder': may accept tokens"));
	}

	/**
	 * Where a chain knows its keys itself, or is given a decoder.
	 */
	@ParameterizedTest
	@ValueSource(classes = { KeysOfChain.class, DecoderOfChain.class })
	void decoderOfChainThatIsNoBeanFailsTheStartWithTheRemedy(Class<?> application) {
		this.web.withUserConfiguration(application)
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("A security filter chain for bearer tokens: may accept tokens")
				.hasMessageContaining(BlacklistTokenValidator.class.getName()));
	}

	@Test
	void decodersOfChainsAreWarnedOfOnceIfConfigured(CapturedOutput output) {
		this.web.withUserConfiguration(KeysOfChain.class)
			.withPropertyValues("ge.redis.blacklist.unchecked-decoder=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("for bearer tokens: may accept tokens that were revoked");
		this.web.withUserConfiguration(Unchecked.class, BeanOfChain.class)
			.withPropertyValues("ge.redis.blacklist.unchecked-decoder=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("The JwtDecoder 'decoder': may accept tokens that were revoked")
			.containsOnlyOnce("for bearer tokens: may accept tokens that were revoked");
	}

	@Test
	void decodersOfChainsThatCheckOrNeedNotAreFine(CapturedOutput output) {
		this.web.withUserConfiguration(Checked.class, BeanOfChain.class)
			.run((context) -> assertThat(context).hasNotFailed());
		this.web.withUserConfiguration(KeysOfChain.class)
			.withPropertyValues("ge.redis.blacklist.validate-jwt=false")
			.run((context) -> assertThat(context).hasNotFailed());
		this.web.withUserConfiguration(Checked.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.security.oauth2.server.resource"))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("may accept tokens that were revoked");
	}

	private static NimbusJwtDecoder newDecoder() {
		return NimbusJwtDecoder
			.withSecretKey(new SecretKeySpec("a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8),
					"HmacSHA256"))
			.build();
	}

	@Configuration(proxyBeanMethods = false)
	static class Unchecked {

		@Bean
		JwtDecoder decoder() {
			return newDecoder();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Checked {

		@Bean
		JwtDecoder decoder(BlacklistTokenValidator blacklist) {
			NimbusJwtDecoder decoder = newDecoder();
			decoder.setJwtValidator(blacklist);
			return decoder;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Nested {

		@Bean
		JwtDecoder decoder(BlacklistTokenValidator blacklist) {
			NimbusJwtDecoder decoder = newDecoder();
			decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(JwtValidators.createDefault(),
					new DelegatingOAuth2TokenValidator<>(blacklist)));
			return decoder;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Foreign {

		@Bean
		JwtDecoder decoder() {
			return (token) -> {
				throw new JwtException("not decoded");
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class KeysOfChain {

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http
				.oauth2ResourceServer(
						(server) -> server.jwt((jwt) -> jwt.jwkSetUri("https://issuer.example/oauth2/jwks")))
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DecoderOfChain {

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http.oauth2ResourceServer((server) -> server.jwt((jwt) -> jwt.decoder(newDecoder()))).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BeanOfChain {

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults())).build();
		}

	}

}
