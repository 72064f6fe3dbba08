/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.cache.CacheGuard;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardAdvisor;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Caches.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(RedisBackends.class)
@ConditionalOnBooleanProperty(name = "ge.redis.cache.enabled", matchIfMissing = true)
@EnableConfigurationProperties(CacheProperties.class)
public final class CacheAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static CacheGuard cacheGuard(ObjectProvider<CacheProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, ObjectProvider<JsonMapper> mapper, ObjectProvider<RedisBackends> backends,
			GuardEvents events) {
		return new CacheGuard(properties::getObject, attributes, expressions,
				() -> mapper.getIfAvailable(JsonMapper::shared),
				() -> backends.getObject().get(properties.getObject().connectionFactory()), events);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor cacheReaderAdvisor(CacheGuard guard, Environment environment) {
		return guard.readerAdvisor(AdviceOrder.CACHE.in(environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor cacheWriterAdvisor(CacheGuard guard, Environment environment) {
		return guard.writerAdvisor(AdviceOrder.CACHE.in(environment) + 1);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static TransactionListenerPostProcessor cacheTransactionListenerPostProcessor(ObjectProvider<CacheGuard> guard) {
		return new TransactionListenerPostProcessor(() -> guard.getObject().transactionListener());
	}

	@Bean
	@ConditionalOnMissingBean
	GeCaches geCaches(CacheGuard guard) {
		return guard.caches();
	}

}
