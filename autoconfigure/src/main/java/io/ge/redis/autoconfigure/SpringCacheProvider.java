// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Map;

import io.ge.redis.autoconfigure.ConditionalOnSwitchedOff.OnSwitchedOffCondition;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Keeps the provider of Spring's caches that an application would have without this
 * library. Spring Boot chooses Redis before Cache2k, Caffeine and the map in memory, as
 * soon as Spring Data Redis is present, which comes with the starter. Where Boot has
 * chosen Redis so, and neither {@code spring.cache.*} nor a bean asks for it, the next
 * one of Boot's order takes its place. Reports the provider once. Where our caches are
 * switched off, the manager that replaces ours never hits.
 */
final class SpringCacheProvider implements BeanDefinitionRegistryPostProcessor {

	private static final Log logger = LogFactory.getLog(SpringCacheProvider.class);

	private static final String BOOT = "org.springframework.boot.cache.autoconfigure.";

	private static final String MANAGER = "cacheManager";

	private static final String OURS = "geRedisCacheManager";

	private static final String TYPE = "spring.cache.type";

	/** Behind Redis in Spring Boot's order, with the class that each needs. */
	private static final List<Map.Entry<String, String>> NEXT = List.of(
			Map.entry("Cache2k", "org.cache2k.extra.spring.SpringCache2kCacheManager"),
			Map.entry("Caffeine", "com.github.benmanes.caffeine.cache.Caffeine"));

	private final Environment environment;

	public SpringCacheProvider(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		ConfigurableListableBeanFactory beans = (ConfigurableListableBeanFactory) registry;
		if (isNoneWanted(beans)) {
			if (registry.containsBeanDefinition(MANAGER)) {
				registry.removeBeanDefinition(MANAGER);
			}
			registry.registerBeanDefinition(OURS, new RootBeanDefinition(NoOpCacheManager.class));
		}
		else if ("Redis".equals(provider(registry)) && !isRedisWanted(beans)) {
			replace(registry,
					BOOT + NEXT.stream()
						.filter((next) -> ClassUtils.isPresent(next.getValue(), beans.getBeanClassLoader()))
						.findFirst()
						.map(Map.Entry::getKey)
						.orElse("Simple") + "CacheConfiguration");
		}
	}

	// Ours would have been used, or no other provider creates one
	private boolean isNoneWanted(ConfigurableListableBeanFactory beans) {
		if (OnSwitchedOffCondition.switchedOff(this.environment, "cache").isEmpty()
				|| this.environment.containsProperty(TYPE) || !isCaching(beans)) {
			return false;
		}
		return (provider((BeanDefinitionRegistry) beans) != null) ? reason(this.environment, beans) != null
				: beans.getBeanNamesForType(CacheManager.class, true, false).length == 0;
	}

	private static boolean isCaching(ConfigurableListableBeanFactory beans) {
		return beans.getBeanNamesForType(CacheAspectSupport.class, true, false).length > 0;
	}

	private boolean isRedisWanted(ConfigurableListableBeanFactory beans) {
		return this.environment.containsProperty(TYPE)
				|| PatternUse.findProperty(this.environment, "spring.cache.redis") != null
				|| beans.getBeanNamesForType(RedisCacheConfiguration.class, true, false).length > 0
				|| beans.getBeanNamesForType(RedisCacheManagerBuilderCustomizer.class, true, false).length > 0;
	}

	// Registers the configuration and its only bean as Spring does
	private static void replace(BeanDefinitionRegistry registry, String configuration) {
		registry.registerBeanDefinition(configuration, new RootBeanDefinition(configuration));
		RootBeanDefinition manager = new RootBeanDefinition();
		manager.setFactoryBeanName(configuration);
		manager.setUniqueFactoryMethodName(MANAGER);
		manager.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		registry.removeBeanDefinition(MANAGER);
		registry.registerBeanDefinition(MANAGER, manager);
	}

	/**
	 * Returns the name of the provider that Spring Boot has chosen.
	 */
	private static @Nullable String provider(BeanDefinitionRegistry registry) {
		BeanDefinition manager = registry.containsBeanDefinition(MANAGER) ? registry.getBeanDefinition(MANAGER) : null;
		String configuration = (manager != null) ? manager.getFactoryBeanName() : null;
		return (configuration != null && configuration.startsWith(BOOT))
				? configuration.substring(BOOT.length(), configuration.length() - "CacheConfiguration".length()) : null;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		if (!isCaching(beans) || !OnSwitchedOffCondition.switchedOff(this.environment, "cache").isEmpty()) {
			return;
		}
		String provider = provider((BeanDefinitionRegistry) beans);
		if (beans.containsBeanDefinition(OURS)) {
			logger.info("Spring's caches (@Cacheable) are GE Redis caches, because " + reason(this.environment, beans)
					+ ". Set " + TYPE + " to another provider, such as caffeine or simple, to keep them there");
		}
		else if (provider != null && !provider.equals("Redis") && !this.environment.containsProperty(TYPE)) {
			logger.info("Spring's caches (@Cacheable) are kept by the provider " + provider + ", not in Redis. Set "
					+ TYPE + "=redis if they belong there, as Spring Boot decides"
					+ " where an application brings Spring Data Redis itself");
		}
	}

	private static @Nullable String reason(Environment environment, ConfigurableListableBeanFactory beans) {
		String type = environment.getProperty(TYPE);
		if (type != null) {
			return type.equalsIgnoreCase("redis") ? TYPE + " is redis" : null;
		}
		String reason = PatternUse.findProperty(environment, "ge.redis.cache");
		return (reason != null) ? reason : PatternUse.findAnnotation(beans, "cache");
	}

	/**
	 * Matches where Spring's caches are to be those of this library: with
	 * {@code spring.cache.type=redis}; or without a type, if a property of our caches is
	 * set or a bean has one of their annotations.
	 */
	public static final class OnOurs extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			String reason = (beans != null) ? reason(context.getEnvironment(), beans) : null;
			return new ConditionOutcome(reason != null, (reason != null) ? reason : "nothing asks for our caches");
		}

	}

}
