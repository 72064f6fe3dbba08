// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.ge.redis.autoconfigure.ConditionalOnSwitchedOff.OnSwitchedOffCondition;
import io.ge.redis.blacklist.Revocation;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.UsedIds;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.bloom.BloomFilters;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.broadcast.Broadcaster;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.SpringCaches;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.consume.ConsumerProperties;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.consume.Consumers;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.counter.UniqueCounters;
import io.ge.redis.geo.GeoIndexes;
import io.ge.redis.hash.HashStore;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.leaderboard.Leaderboards;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.internal.LockPattern;
import io.ge.redis.queue.JobQueue;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.script.EntityScripts;
import io.ge.redis.security.BackChannelLogoutHandler;
import io.ge.redis.security.BlacklistTokenValidator;
import io.ge.redis.security.OpaqueTokens;
import io.ge.redis.session.Sessions;
import io.ge.redis.state.ChangeSubscription;
import io.ge.redis.state.Workspace;
import io.ge.redis.state.Workspaces;
import io.ge.redis.stream.DeadLetters;
import io.ge.redis.stream.StreamPublisher;
import io.ge.redis.stream.StreamViews;
import io.ge.redis.web.lock.FencingTokens;
import jakarta.servlet.Servlet;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.Advisor;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
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
@Import(GeRedisDisabledAutoConfiguration.StandIns.class)
@ImportRuntimeHints(GeRedisDisabledAutoConfiguration.StandIns.Hints.class)
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
		return new GuardedCalls(new GeRedisAutoConfiguration.ThreadContext(), List::of);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("lock")
	@EnableConfigurationProperties(LockProperties.class)
	@Import(GeRedisAutoConfiguration.GuardProxyRegistrar.class)
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
	static class ServletFencingTokens {

		@Bean
		WebMvcConfigurer geRedisFencingTokens() {
			return new FencingTokens.OnServlets();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
	static class ReactiveFencingTokens {

		@Bean
		WebFluxConfigurer geRedisFencingTokens() {
			return new FencingTokens.OnWebFlux();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSwitchedOff("cache")
	@ConditionalOnBean(WriteBehindStore.class)
	@EnableConfigurationProperties(CacheProperties.class)
	@Import(GeRedisAutoConfiguration.GuardProxyRegistrar.class)
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

	/**
	 * Registers {@code unguarded()} of each API whose pattern is switched off, unless the
	 * application has a bean of the type.
	 */
	static final class StandIns implements ImportBeanDefinitionRegistrar {

		/**
		 * The APIs with the switches of their patterns. The one of caches needs beans of
		 * the application.
		 */
		private static final Map<Class<?>, List<String>> APIS = Map.ofEntries(
				Map.entry(RateLimiter.class, List.of("rate-limit")), Map.entry(DistributedLocks.class, List.of("lock")),
				Map.entry(Idempotency.class, List.of("idempotency")),
				Map.entry(TokenBlacklist.class, List.of("blacklist")), Map.entry(UsedIds.class, List.of("blacklist")),
				Map.entry(RefreshTokens.class, List.of("blacklist", "refresh-tokens")),
				Map.entry(CircuitBreakers.class, List.of("breaker")), Map.entry(SpringCaches.class, List.of("cache")),
				Map.entry(StreamPublisher.class, List.of("stream")), Map.entry(DeadLetters.class, List.of("stream")),
				Map.entry(StreamViews.class, List.of("stream")), Map.entry(JobQueue.class, List.of("queue")),
				Map.entry(Broadcaster.class, List.of("broadcast")), Map.entry(Workspaces.class, List.of("state")),
				Map.entry(Leaderboards.class, List.of("leaderboard")),
				Map.entry(UniqueCounters.class, List.of("counter")), Map.entry(BloomFilters.class, List.of("bloom")),
				Map.entry(GeoIndexes.class, List.of("geo")), Map.entry(HashStore.class, List.of("hash")),
				Map.entry(EntityScripts.class, List.of("script")), Map.entry(Sessions.class, List.of("session")));

		private final Environment environment;

		StandIns(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			APIS.forEach((api, patterns) -> {
				boolean off = !OnSwitchedOffCondition.switchedOff(this.environment, patterns.toArray(String[]::new))
					.isEmpty();
				if (off && ((ListableBeanFactory) registry).getBeanNamesForType(api, true, false).length == 0) {
					RootBeanDefinition standIn = new RootBeanDefinition(api);
					standIn.setFactoryMethodName("unguarded");
					registry.registerBeanDefinition("geRedis" + api.getSimpleName(), standIn);
				}
			});
		}

		/**
		 * Registers the proxies of {@link io.ge.redis.core.StandIn}.
		 */
		static final class Hints implements RuntimeHintsRegistrar {

			@Override
			public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
				Set<Class<?>> proxied = new HashSet<>(APIS.keySet());
				proxied.addAll(List.of(GeCaches.class, Revocation.class, Workspace.class, ChangeSubscription.class));
				for (Class<?> api : proxied) {
					hints.proxies().registerJdkProxy(api);
					hints.reflection().registerType(api, MemberCategory.INVOKE_PUBLIC_METHODS);
				}
			}

		}

	}

}
