// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.ge.redis.autoconfigure.application.AdviceOrder;
import io.ge.redis.autoconfigure.application.ThreadContext;
import io.ge.redis.autoconfigure.condition.ConditionalOnSwitchedOff;
import io.ge.redis.autoconfigure.condition.ConditionalOnSwitchedOff.OnSwitchedOffCondition;
import io.ge.redis.autoconfigure.startup.GuardProxyRegistrar;
import io.ge.redis.autoconfigure.startup.SpringCacheProvider;
import io.ge.redis.autoconfigure.startup.UnknownProperties;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.security.BackChannelLogoutHandler;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.security.OpaqueTokens;
import io.ge.redis.web.lock.FencingTokenConfigurer;
import io.ge.redis.web.lock.ReactiveFencingTokenConfigurer;
import jakarta.servlet.Servlet;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.Advisor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.web.authentication.logout.LogoutHandler;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Replacements for patterns that are switched off, all by {@code ge.redis.enabled} or
 * single ones. The application starts, and no call is refused. Logs that once.
 */
@AutoConfiguration(after = { GeRedisAutoConfiguration.class, SpringCacheAutoConfiguration.class })
@ConditionalOnSwitchedOff({ "rate-limit", "lock", "breaker", "idempotency", "cache", "blacklist", "refresh-tokens",
		"stream", "queue", "broadcast", "session", "state", "leaderboard", "counter", "bloom", "geo", "hash",
		"script" })
@Import(StandIns.class)
@ImportRuntimeHints(StandIns.Hints.class)
public final class GeRedisDisabledAutoConfiguration {

	@Bean
	SmartInitializingSingleton geRedisDisabledWarning(Environment environment) {
		List<String> off = OnSwitchedOffCondition.switchedOff(environment,
				GeRedisDisabledAutoConfiguration.class.getAnnotation(ConditionalOnSwitchedOff.class).value());
		return () -> LogFactory.getLog(GeRedisDisabledAutoConfiguration.class)
			.warn(String.join("=false, ", off) + "=false: annotated methods run unguarded, and what is injected lets "
					+ "everything through");
	}

	@Bean
	@ConditionalOnSwitchedOff("cache")
	@ConditionalOnMissingBean
	GeCaches geRedisCaches(ObjectProvider<WriteBehindStore<?>> stores) {
		return GeCaches.unguarded(() -> stores.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	UnknownProperties geRedisUnknownProperties(Environment environment, ListableBeanFactory beans) {
		return new UnknownProperties(environment, beans);
	}

	@Bean
	@ConditionalOnMissingBean
	static SpringCacheProvider geRedisSpringCacheProvider(Environment environment) {
		return new SpringCacheProvider(environment);
	}

	/**
	 * Consumers without containers, for code that pauses them or queries them by name.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff
	@EnableConfigurationProperties(ConsumerProperties.class)
	static class NoConsumers {

		@Bean
		@ConditionalOnMissingBean
		Consumers geRedisConsumers() {
			return new Consumers(ConsumerThreads.create(false), false);
		}

	}

	// Without scopes and threads, since nothing is waited for
	private static GuardedCalls calls() {
		return new GuardedCalls(new ThreadContext(), List::of);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("lock")
	@EnableConfigurationProperties(LockProperties.class)
	@Import(GuardProxyRegistrar.class)
	static class LockedMethods {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor geRedisUnguardedLockAdvisor(ObjectProvider<LockProperties> properties,
				ConfigurableListableBeanFactory beans, Environment environment) {
			return LockPattern.unguardedAdvisor(properties::getObject, new AttributeReader(beans::resolveEmbeddedValue),
					calls(), AdviceOrder.DISTRIBUTED_LOCK.in(environment));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass({ Servlet.class, DispatcherServlet.class })
	static class FencingTokens {

		@Bean
		WebMvcConfigurer geRedisFencingTokens() {
			return new FencingTokenConfigurer();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
	static class ReactiveFencingTokens {

		@Bean
		WebFluxConfigurer geRedisFencingTokens() {
			return new ReactiveFencingTokenConfigurer();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("cache")
	@ConditionalOnBean(WriteBehindStore.class)
	@EnableConfigurationProperties(CacheProperties.class)
	@Import(GuardProxyRegistrar.class)
	static class CachesWrittenBehind {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor geRedisUnguardedCacheAdvisor(ObjectProvider<CacheProperties> properties,
				ConfigurableListableBeanFactory beans, ObjectProvider<JsonMapper> mapper,
				ObjectProvider<WriteBehindStore<?>> stores, Environment environment) {
			return CachePattern.unguardedAdvisor(properties::getObject,
					new AttributeReader(beans::resolveEmbeddedValue), new ExpressionCompiler(beans),
					() -> mapper.getIfAvailable(JsonMapper::shared), () -> stores.orderedStream().toList(), calls(),
					AdviceOrder.CACHE.in(environment));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("blacklist")
	@ConditionalOnClass(Jwt.class)
	static class JwtBlacklists {

		@Bean
		@ConditionalOnMissingBean
		BlacklistTokenValidator geRedisBlacklistTokenValidator() {
			return new BlacklistTokenValidator(() -> null, Duration.ZERO);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("blacklist")
	@ConditionalOnClass(OpaqueTokenIntrospector.class)
	static class OpaqueTokenBlacklists {

		@Bean
		@ConditionalOnMissingBean
		OpaqueTokens geRedisBlacklistOpaqueTokens() {
			return new OpaqueTokens();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("blacklist")
	@ConditionalOnClass({ Servlet.class, LogoutHandler.class, ClaimAccessor.class, Jwt.class })
	static class BackChannelLogouts {

		@Bean
		@ConditionalOnMissingBean
		BackChannelLogoutHandler geRedisBlacklistBackChannelLogoutHandler(ObjectProvider<TokenBlacklist> blacklist) {
			return new BackChannelLogoutHandler(blacklist::getObject);
		}

	}

}
