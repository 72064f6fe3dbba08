/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.SubscriberToken;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.blacklist.guard.BlacklistPattern;
import io.ge.redis.security.CurrentJwt;
import io.ge.redis.security.OpaqueTokens;
import io.ge.redis.security.ReactiveJwtDecoderPostProcessor;
import io.ge.redis.security.ReactiveOpaqueTokenPostProcessor;
import io.ge.redis.security.SecuritySubscriberScope;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;

/**
 * Blacklists for the tokens of Spring Security in a reactive web application.
 */
@AutoConfiguration(after = { BlacklistAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(Mono.class)
@ConditionalOnBean(BlacklistPattern.class)
public final class BlacklistReactiveSecurityAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Jwt.class, SecurityContextHolder.class })
	static class CallerConfiguration {

		// Without the scope it would find nobody, and nothing would be checked
		@Bean
		@ConditionalOnBean(SecuritySubscriberScope.class)
		@ConditionalOnMissingBean(CurrentToken.class)
		SubscriberToken blacklistSubscriberJwt(ObjectProvider<TokenReader> readers) {
			return new CurrentJwt(() -> readers.orderedStream().toList())::currentToken;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ReactiveJwtDecoder.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
	static class JwtConfiguration {

		@Bean
		static ReactiveJwtDecoderPostProcessor blacklistReactiveJwtDecoderPostProcessor(
				ObjectProvider<BlacklistUse> use) {
			return new ReactiveJwtDecoderPostProcessor(BlacklistUse.blacklist(use));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ReactiveOpaqueTokenIntrospector.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-opaque-tokens", matchIfMissing = true)
	static class OpaqueTokenConfiguration {

		@Bean
		static ReactiveOpaqueTokenPostProcessor blacklistReactiveOpaqueTokenPostProcessor(
				ObjectProvider<BlacklistUse> use, ObjectProvider<OpaqueTokens> tokens) {
			return new ReactiveOpaqueTokenPostProcessor(BlacklistUse.blacklist(use), tokens::getObject);
		}

	}

}
