/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.blacklist.guard.BlacklistPattern;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.security.CurrentJwt;
import io.ge.redis.security.JwtDecoderChecks;
import io.ge.redis.security.JwtProviderPostProcessor;
import io.ge.redis.security.JwtTokens;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationProvider;

/**
 * Blacklists for the tokens of Spring Security.
 */
@AutoConfiguration(after = BlacklistAutoConfiguration.class)
@ConditionalOnClass({ Jwt.class, SecurityContextHolder.class })
@ConditionalOnBean(BlacklistPattern.class)
public final class BlacklistSecurityAutoConfiguration {

	/**
	 * Not in a reactive application: it knows the caller by the thread, and would find
	 * one there only while a subscriber asks.
	 */
	@Bean
	@ConditionalOnMissingBean(CurrentToken.class)
	@Conditional(NotReactiveCondition.class)
	CurrentJwt blacklistCurrentJwt(ObjectProvider<TokenReader> readers) {
		return new CurrentJwt(() -> readers.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	JwtTokens blacklistJwtTokens() {
		return new JwtTokens();
	}

	/**
	 * Not in a reactive application: Spring Boot would give it to the decoder there,
	 * which runs on the event loop.
	 */
	@Bean
	@ConditionalOnMissingBean
	@Conditional(NotReactiveCondition.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
	BlacklistTokenValidator blacklistTokenValidator(BlacklistUse use, BlacklistProperties properties) {
		return new BlacklistTokenValidator(use::blacklist, properties.clockSkew());
	}

	@Bean
	@Conditional(NotReactiveCondition.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
	JwtDecoderChecks blacklistJwtDecoderChecks(ConfigurableListableBeanFactory beans, BlacklistUse use,
			BlacklistProperties properties) {
		return new JwtDecoderChecks(beans, use::blacklist, properties.uncheckedDecoder());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ JwtAuthenticationProvider.class, ProviderManager.class })
	@Conditional(NotReactiveCondition.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
	static class ChainConfiguration {

		@Bean
		static JwtProviderPostProcessor blacklistJwtProviderPostProcessor(ObjectProvider<JwtDecoderChecks> checks) {
			return new JwtProviderPostProcessor(checks::getObject);
		}

	}

	static final class NotReactiveCondition extends NoneNestedConditions {

		NotReactiveCondition() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
		static final class OnReactive {

		}

	}

}
