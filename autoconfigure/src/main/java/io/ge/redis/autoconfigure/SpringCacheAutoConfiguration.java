// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.actuate.MeterNames;
import io.ge.redis.autoconfigure.application.SpringCacheMeters;
import io.ge.redis.autoconfigure.startup.SpringCacheProvider;
import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.cache.internal.SpringCacheManager;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.boot.cache.metrics.CacheMetricsRegistrar;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * The same caches for Spring, where the application asks for them: its cache manager, and
 * its own annotations.
 */
@AutoConfiguration(after = CacheAutoConfiguration.class,
		beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
public final class SpringCacheAutoConfiguration {

	@Bean
	static SpringCacheProvider geRedisSpringCacheProvider(Environment environment) {
		return new SpringCacheProvider(environment);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(name = "geRedisCachePattern")
	static class ManagerConfiguration {

		@Bean
		@Lazy
		@ConditionalOnMissingBean(CacheManager.class)
		@Conditional(SpringCacheProvider.OnOurs.class)
		SpringCacheManager geRedisCacheManager(CachePattern pattern) {
			return pattern.cacheManager();
		}

		@Bean
		SmartInitializingSingleton geRedisSpringCacheVerifier(ObjectProvider<CachePattern> pattern,
				ObjectProvider<CacheOperationSource> operations, ConfigurableListableBeanFactory beans) {
			return () -> operations.ifUnique((source) -> {
				// Else no cache of Spring's is ours
				if (beans.containsSingleton("geRedisCachePattern") || beans.containsBean("geRedisCacheManager")) {
					CachePattern caches = pattern.getObject();
					caches.verify();
					caches.verify(beans, source);
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ CacheMeterBinderProvider.class, MeterBinder.class })
	@ConditionalOnBean(name = "geRedisCachePattern")
	static class MetersConfiguration {

		@Bean
		SpringCacheMeters geRedisCacheMeterBinderProvider(ConfigurableListableBeanFactory beans,
				ObjectProvider<CacheMetricsRegistrar> registrar, ObjectProvider<MeterNames> names) {
			return new SpringCacheMeters(beans, registrar,
					(cache) -> names.stream().allMatch((each) -> each.isOwn("cache", cache)));
		}

	}

}
