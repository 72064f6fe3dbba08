// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.function.Predicate;

import io.ge.redis.cache.internal.CachePattern;
import io.ge.redis.cache.internal.SpringCache;
import io.ge.redis.cache.internal.SpringCacheManager;
import io.ge.redis.core.event.MeterNames;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import org.jspecify.annotations.Nullable;

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
import org.springframework.util.StringUtils;

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

	/**
	 * Spring Boot's meters of caches, also of caches that are created later.
	 */
	static final class SpringCacheMeters implements CacheMeterBinderProvider<SpringCache>, SmartInitializingSingleton {

		private static final String SUFFIX = "cacheManager";

		private final ConfigurableListableBeanFactory beans;

		private final ObjectProvider<CacheMetricsRegistrar> registrar;

		private final Predicate<String> measured;

		/**
		 * Creates the meters.
		 * @param measured whether the cache of a name has meters
		 */
		public SpringCacheMeters(ConfigurableListableBeanFactory beans, ObjectProvider<CacheMetricsRegistrar> registrar,
				Predicate<String> measured) {
			this.beans = beans;
			this.registrar = registrar;
			this.measured = measured;
		}

		@Override
		public @Nullable MeterBinder getMeterBinder(SpringCache cache, Iterable<Tag> tags) {
			return this.measured.test(cache.getName()) ? new Binder(cache, tags) : null;
		}

		@Override
		public void afterSingletonsInstantiated() {
			this.registrar.ifAvailable((registrar) -> this.beans.getBeansOfType(SpringCacheManager.class, false, false)
				.forEach((name, manager) -> {
					Tag tag = Tag.of("cache.manager", managerName(name));
					manager.onCache((cache) -> registrar.bindCacheToRegistry(cache, tag));
				}));
		}

		// The name that Spring Boot gives it
		private static String managerName(String beanName) {
			return (beanName.length() > SUFFIX.length() && StringUtils.endsWithIgnoreCase(beanName, SUFFIX))
					? beanName.substring(0, beanName.length() - SUFFIX.length()) : beanName;
		}

		private static final class Binder extends CacheMeterBinder<SpringCache> {

			private final SpringCache cache;

			Binder(SpringCache cache, Iterable<Tag> tags) {
				super(cache, cache.getName(), tags);
				this.cache = cache;
			}

			@Override
			protected @Nullable Long size() {
				return null;
			}

			@Override
			protected long hitCount() {
				return this.cache.hits();
			}

			@Override
			protected Long missCount() {
				return this.cache.misses();
			}

			@Override
			protected @Nullable Long evictionCount() {
				return null;
			}

			@Override
			protected long putCount() {
				return this.cache.puts();
			}

			@Override
			protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
				FunctionCounter.builder("cache.removals", this.cache, SpringCache::removals)
					.tags(getTagsWithCacheName())
					.description("Cache removals")
					.register(registry);
			}

		}

	}

}
