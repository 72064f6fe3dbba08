// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.function.Supplier;

import io.ge.redis.blacklist.BlacklistProperties;
import io.ge.redis.blacklist.CurrentToken;
import io.ge.redis.blacklist.SubscriberToken;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenReader;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.security.BackChannelLogoutHandler;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.security.CurrentJwt;
import io.ge.redis.security.DPoPReplayValidator;
import io.ge.redis.security.JwtTokens;
import io.ge.redis.security.OpaqueTokens;
import io.ge.redis.security.SecurityContextPrincipalProvider;
import io.ge.redis.security.TokenChecks;
import jakarta.servlet.Servlet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
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
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationProvider;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.ReactiveOpaqueTokenIntrospector;
import org.springframework.security.web.authentication.logout.LogoutHandler;
import org.springframework.util.function.SingletonSupplier;

/**
 * Blacklists for the tokens of Spring Security.
 */
@AutoConfiguration(after = { BlacklistAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class })
@ConditionalOnClass(SecurityContextHolder.class)
@ConditionalOnBean(name = "geRedisBlacklistPattern")
public final class BlacklistSecurityAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Jwt.class)
	static class JwtConfiguration {

		/**
		 * Not in a reactive application, where the thread does not know the caller.
		 */
		@Bean
		@ConditionalOnMissingBean(CurrentToken.class)
		@Conditional(NotReactiveCondition.class)
		CurrentJwt geRedisBlacklistCurrentJwt(ObjectProvider<TokenReader> readers) {
			return new CurrentJwt(() -> readers.orderedStream().toList());
		}

		@Bean
		@ConditionalOnMissingBean
		JwtTokens geRedisBlacklistJwtTokens() {
			return new JwtTokens();
		}

		/**
		 * Not in a reactive application, where the decoder runs on the event loop.
		 */
		@Bean
		@ConditionalOnMissingBean
		@Conditional(NotReactiveCondition.class)
		@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
		BlacklistTokenValidator geRedisBlacklistTokenValidator(BlacklistUse use, BlacklistProperties properties) {
			return new BlacklistTokenValidator(use::blacklist, properties.clockSkew());
		}

		@Bean
		@Conditional(NotReactiveCondition.class)
		@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
		SmartInitializingSingleton geRedisBlacklistJwtDecoderChecks(ConfigurableListableBeanFactory beans,
				BlacklistUse use, BlacklistProperties properties) {
			return TokenChecks.requireValidators(beans, use::blacklist, properties.uncheckedDecoder());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(OpaqueTokenIntrospector.class)
	static class OpaqueTokenConfiguration {

		@Bean
		@ConditionalOnMissingBean
		OpaqueTokens geRedisBlacklistOpaqueTokens(BlacklistProperties properties) {
			return new OpaqueTokens(properties.opaqueTokenIssuer());
		}

		@Bean
		@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-opaque-tokens", matchIfMissing = true)
		static BeanPostProcessor geRedisBlacklistOpaqueTokenIntrospectors(ObjectProvider<BlacklistUse> use,
				ObjectProvider<OpaqueTokens> tokens) {
			return TokenChecks.ofIntrospectors(BlacklistUse.blacklist(use), tokens::getObject);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Servlet.class, LogoutHandler.class, ClaimAccessor.class, Jwt.class })
	static class BackChannelLogoutConfiguration {

		@Bean
		@ConditionalOnMissingBean
		BackChannelLogoutHandler geRedisBlacklistBackChannelLogoutHandler(ObjectProvider<TokenBlacklist> blacklist) {
			return new BackChannelLogoutHandler(blacklist::getObject);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ DPoPAuthenticationProvider.class, HttpSecurity.class })
	@ConditionalOnBean(UsedIds.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.remember-dpop-proofs", matchIfMissing = true)
	static class DPoPConfiguration {

		/**
		 * Spring Security accepts proofs that were made up to 30 seconds ago or ahead.
		 */
		private static final Duration LIFE_OF_PROOF = Duration.ofSeconds(60);

		@Bean
		Customizer<HttpSecurity> geRedisBlacklistDPoPProofs(ObjectProvider<UsedIds> used,
				ObjectProvider<BlacklistUse> use, ObjectProvider<BlacklistProperties> properties) {
			Supplier<@Nullable TokenBlacklist> blacklist = BlacklistUse.blacklist(use);
			// Clocks of instances differ, and where one accepts a proof it must be
			// remembered
			SingletonSupplier<DPoPReplayValidator> replays = SingletonSupplier
				.of(() -> new DPoPReplayValidator(used::getObject,
						LIFE_OF_PROOF.plus(properties.getObject().clockSkew())));
			return DPoPReplayValidator.customizer(() -> (blacklist.get() != null) ? replays.get() : null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass(Mono.class)
	static class ReactiveConfiguration {

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass({ Jwt.class, SecurityContextHolder.class })
		static class SubscriberConfiguration {

			// Without the scope it would find no user, and nothing would be checked
			@Bean
			@ConditionalOnBean(SecurityContextPrincipalProvider.OfSubscriber.class)
			@ConditionalOnMissingBean(CurrentToken.class)
			SubscriberToken geRedisBlacklistSubscriberJwt(ObjectProvider<TokenReader> readers) {
				return new CurrentJwt(() -> readers.orderedStream().toList())::currentToken;
			}

		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(ReactiveJwtDecoder.class)
		@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-jwt", matchIfMissing = true)
		static class ReactiveJwtConfiguration {

			@Bean
			static BeanPostProcessor geRedisBlacklistReactiveJwtDecoders(ObjectProvider<BlacklistUse> use) {
				return TokenChecks.ofReactiveDecoders(BlacklistUse.blacklist(use));
			}

		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnClass(ReactiveOpaqueTokenIntrospector.class)
		@ConditionalOnBooleanProperty(name = "ge.redis.blacklist.validate-opaque-tokens", matchIfMissing = true)
		static class ReactiveOpaqueTokenConfiguration {

			@Bean
			static BeanPostProcessor geRedisBlacklistReactiveOpaqueTokenIntrospectors(ObjectProvider<BlacklistUse> use,
					ObjectProvider<OpaqueTokens> tokens) {
				return TokenChecks.ofReactiveIntrospectors(BlacklistUse.blacklist(use), tokens::getObject);
			}

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
