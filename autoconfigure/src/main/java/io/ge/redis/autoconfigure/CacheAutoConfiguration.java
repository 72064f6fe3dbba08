// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Map;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindProperties;
import io.ge.redis.cache.WriteBehindStore;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.cache.internal.CacheWarmUp;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Caches.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@ConditionalOnBooleanProperty(name = "ge.redis.cache.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ CacheProperties.class, WriteBehindProperties.class })
public final class CacheAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CachePattern geRedisCachePattern(ObjectProvider<CacheProperties> properties,
			ObjectProvider<GeRedisProperties> common, AttributeReader attributes, ExpressionCompiler expressions,
			ObjectProvider<JsonMapper> mapper, GuardEvents events, ObjectProvider<WriteBehindProperties> behind,
			ObjectProvider<WriteBehindStore<?>> stores, ObjectProvider<ConsumerThreads> threads,
			ObjectProvider<GuardFigures> figures, Environment environment, GuardedCalls calls, BeanFactory beans) {
		CachePattern pattern = new CachePattern(properties::getObject, attributes, expressions,
				() -> mapper.getIfAvailable(JsonMapper::shared), () -> common.getObject().verifyRoundTrip(),
				new PatternBackend("cache", beans), events, behind::getObject, () -> stores.orderedStream().toList(),
				threads::getObject, () -> namesForSpring(environment), calls);
		pattern.countBy((cache) -> {
			GuardFigures counted = figures.getIfAvailable();
			return (counted != null) ? counted.of("cache", cache) : Map.of();
		});
		return pattern;
	}

	private static List<String> namesForSpring(Environment environment) {
		return Binder.get(environment)
			.bind("spring.cache.cache-names", Bindable.listOf(String.class))
			.orElseGet(List::of);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisCacheReaderAdvisor(ObjectProvider<CachePattern> pattern, BeanFactory beans) {
		return advisor(0, CacheAside.class, pattern, beans);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisCacheWriterAdvisor(ObjectProvider<CachePattern> pattern, BeanFactory beans) {
		return advisor(1, CacheWriteThrough.class, pattern, beans);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisCacheBehindWriterAdvisor(ObjectProvider<CachePattern> pattern, BeanFactory beans) {
		return advisor(2, CacheWriteBehind.class, pattern, beans);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisCacheInvalidatorAdvisor(ObjectProvider<CachePattern> pattern, BeanFactory beans) {
		return advisor(3, CacheInvalidate.class, pattern, beans);
	}

	private static GuardAdvisor advisor(int distance, Class<? extends Annotation> annotation,
			ObjectProvider<CachePattern> pattern, BeanFactory beans) {
		int order = AdviceOrder.CACHE.in(beans.getBean(Environment.class)) + distance;
		return new PatternBackend("cache", beans).advisor(order,
				(same) -> pattern.getObject().advisor(annotation, same), List.of(annotation));
	}

	@Bean
	@ConditionalOnBean(WriteBehindStore.class)
	WriteBehind geRedisCacheWriteBehind(CachePattern pattern) {
		return pattern.writeBehind();
	}

	@Bean
	@ConditionalOnBean(CacheWarmer.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.cache.warm-up.enabled", matchIfMissing = true)
	CacheWarmUp geRedisCacheWarmUp(CachePattern pattern, ObjectProvider<CacheWarmer<?>> warmers) {
		return pattern.warmUp(warmers.orderedStream().toList());
	}

	/**
	 * After runners of the application that have an order. Spring Boot accepts traffic
	 * when all runners have returned, so waiting here is all that readiness needs.
	 */
	@Bean
	@ConditionalOnBean(name = "geRedisCacheWarmUp")
	ApplicationRunner geRedisCacheWarmUpRunner(CacheWarmUp warmUp) {
		return (arguments) -> warmUp.run();
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	GeCaches geRedisCaches(CachePattern pattern) {
		return pattern.caches();
	}

}
