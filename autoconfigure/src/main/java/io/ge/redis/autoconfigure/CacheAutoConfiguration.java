/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.cache.guard.CachePattern;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.warmup.CacheWarmUp;
import io.ge.redis.cache.CacheWarmer;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.behind.WriteBehindProperties;
import io.ge.redis.cache.behind.WriteBehindStore;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
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
@ConditionalOnBean(RedisBackends.class)
@ConditionalOnBooleanProperty(name = "ge.redis.cache.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ CacheProperties.class, WriteBehindProperties.class })
public final class CacheAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CachePattern cachePattern(ObjectProvider<CacheProperties> properties,
			ObjectProvider<GeRedisProperties> common, AttributeReader attributes, ExpressionCompiler expressions,
			ObjectProvider<JsonMapper> mapper, ObjectProvider<RedisBackends> backends, GuardEvents events,
			ObjectProvider<WriteBehindProperties> behind, ObjectProvider<WriteBehindStore<?>> stores,
			Environment environment, GuardedCalls calls) {
		return new CachePattern(properties::getObject, attributes, expressions,
				() -> mapper.getIfAvailable(JsonMapper::shared), () -> common.getObject().verifyRoundTrip(),
				() -> backends.getObject()
					.get("ge.redis.cache.connection-factory", properties.getObject().connectionFactory()),
				ThreadContext::carriedBy, events, behind::getObject, () -> stores.orderedStream().toList(),
				() -> namesForSpring(environment), calls);
	}

	private static List<String> namesForSpring(Environment environment) {
		return Binder.get(environment)
			.bind("spring.cache.cache-names", Bindable.listOf(String.class))
			.orElseGet(List::of);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor cacheReaderAdvisor(CachePattern pattern, Environment environment) {
		return pattern.readerAdvisor(AdviceOrder.CACHE.in(environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor cacheWriterAdvisor(CachePattern pattern, Environment environment) {
		return pattern.writerAdvisor(AdviceOrder.CACHE.in(environment) + 1);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor cacheInvalidatorAdvisor(CachePattern pattern, Environment environment) {
		return pattern.invalidatorAdvisor(AdviceOrder.CACHE.in(environment) + 3);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor cacheBehindWriterAdvisor(CachePattern pattern, Environment environment) {
		return pattern.behindWriterAdvisor(AdviceOrder.CACHE.in(environment) + 2);
	}

	@Bean
	@ConditionalOnBean(WriteBehindStore.class)
	WriteBehind cacheWriteBehind(CachePattern pattern) {
		return pattern.writeBehind();
	}

	@Bean
	@ConditionalOnBean(CacheWarmer.class)
	@ConditionalOnBooleanProperty(name = "ge.redis.cache.warm-up.enabled", matchIfMissing = true)
	CacheWarmUp geRedisCacheWarmUp(CachePattern pattern, ObjectProvider<CacheWarmer<?>> warmers) {
		return pattern.warmUp(warmers.orderedStream().toList());
	}

	@Bean
	@ConditionalOnBean(CacheWarmUp.class)
	CacheWarmUpRunner geRedisCacheWarmUpRunner(CacheWarmUp warmUp) {
		return new CacheWarmUpRunner(warmUp);
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	GeCaches geCaches(CachePattern pattern) {
		return pattern.caches();
	}

}
