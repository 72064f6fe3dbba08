// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.security;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UncheckedDecoder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.security.oauth2.server.resource.autoconfigure.OAuth2ResourceServerProperties;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The rule of "With Spring Security" in {@code docs/blacklist.md}: which decoders count
 * as checked.
 */
class JwtDecoderChecksTests {

	private static final JwtDecoder DECODER = (token) -> {
		throw new JwtException("not decoded");
	};

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private @Nullable TokenBlacklist used = TokenBlacklist.unguarded();

	@ParameterizedTest
	@ValueSource(classes = { Parameter.class, ThroughAnotherBean.class, LazyParameter.class })
	void decoderIntoWhichTheValidatorIsInjectedIsChecked(Class<?> application) {
		start(application);
		assertThat(this.context.getBeanFactory().containsSingleton("decoder")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { Provider.class, ConfigurationClass.class, LazyDecoder.class })
	void anyOtherDecoderIsReportedWithTheRemedy(Class<?> application) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> start(application))
			.withMessageContaining("The JwtDecoder 'decoder'")
			.withMessageContaining("ObjectProvider or a field of the configuration class is not seen");
	}

	@Test
	void decoderOfSpringBootForAResourceServerIsChecked() {
		madeBy(OAuth2ResourceServerProperties.class);
		start();
	}

	@Test
	void decoderThatSpringBootMakesForSomethingElseIsReported() {
		madeBy(SpringApplication.class);
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(this::start);
	}

	@Test
	void lazyDecoderIsNotMadeWhereTheBlacklistIsNotUsed() {
		this.used = null;
		start(LazyDecoder.class);
		assertThat(this.context.getBeanFactory().containsSingleton("decoder")).isFalse();
	}

	private void madeBy(Class<?> type) {
		RootBeanDefinition definition = new RootBeanDefinition(JwtDecoder.class, () -> DECODER);
		definition.setResolvedFactoryMethod(type.getDeclaredMethods()[0]);
		this.context.registerBeanDefinition("decoder", definition);
	}

	private void start(Class<?>... application) {
		Supplier<@Nullable TokenBlacklist> blacklist = () -> this.used;
		this.context.registerBean(BlacklistTokenValidator.class,
				() -> new BlacklistTokenValidator(blacklist, Duration.ofSeconds(60)));
		this.context.registerBean(JwtDecoderChecks.class,
				() -> new JwtDecoderChecks(this.context.getBeanFactory(), blacklist, UncheckedDecoder.FAIL));
		if (application.length > 0) {
			this.context.register(application);
		}
		this.context.refresh();
	}

	@Configuration(proxyBeanMethods = false)
	static class Parameter {

		@Bean
		JwtDecoder decoder(BlacklistTokenValidator blacklist) {
			return DECODER;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ThroughAnotherBean {

		@Bean
		DelegatingOAuth2TokenValidator<Jwt> validators(BlacklistTokenValidator blacklist) {
			return new DelegatingOAuth2TokenValidator<>(blacklist);
		}

		@Bean
		JwtDecoder decoder(DelegatingOAuth2TokenValidator<Jwt> validators) {
			return DECODER;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyParameter {

		@Bean
		@Lazy
		JwtDecoder decoder(BlacklistTokenValidator blacklist) {
			return DECODER;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyDecoder {

		@Bean
		@Lazy
		JwtDecoder decoder() {
			return DECODER;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Provider {

		@Bean
		JwtDecoder decoder(ObjectProvider<OAuth2TokenValidator<Jwt>> validators) {
			return DECODER;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ConfigurationClass {

		ConfigurationClass(BlacklistTokenValidator blacklist) {
		}

		@Bean
		JwtDecoder decoder() {
			return DECODER;
		}

	}

}
