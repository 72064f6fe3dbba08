/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.autoconfigure.application.SpringCacheMeters;
import io.ge.redis.cache.guard.CachePattern;
import io.ge.redis.cache.spring.SpringCacheManager;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.boot.cache.metrics.CacheMetricsRegistrar;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The same caches for Spring: its cache manager, unless the application has another one
 * or names a type for Spring Boot to make one of, and its own annotations.
 */
@AutoConfiguration(after = CacheAutoConfiguration.class,
		beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnBean(name = "cachePattern")
public final class SpringCacheAutoConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheManager")
	@Conditional(OnNoCacheType.class)
	SpringCacheManager cacheManager(CachePattern pattern) {
		return pattern.cacheManager();
	}

	/**
	 * The same, where something else has the usual name, as with Shiro or JCache.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean(CacheManager.class)
	@Conditional(OnNoCacheType.class)
	SpringCacheManager geRedisCacheManager(CachePattern pattern) {
		return pattern.cacheManager();
	}

	@Bean
	SmartInitializingSingleton geRedisSpringCacheVerifier(ObjectProvider<CachePattern> pattern,
			ObjectProvider<CacheOperationSource> operations, ConfigurableListableBeanFactory beans) {
		return () -> operations.ifUnique((source) -> {
			CachePattern caches = pattern.getObject();
			caches.verify();
			caches.verify(beans, source);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ CacheMeterBinderProvider.class, MeterBinder.class })
	static class MetersConfiguration {

		@Bean
		SpringCacheMeters geRedisCacheMeterBinderProvider(ConfigurableListableBeanFactory beans,
				ObjectProvider<CacheMetricsRegistrar> registrar) {
			return new SpringCacheMeters(beans, registrar);
		}

	}

	static final class OnNoCacheType extends NoneNestedConditions {

		OnNoCacheType() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty("spring.cache.type")
		static final class Typed {

		}

	}

}
