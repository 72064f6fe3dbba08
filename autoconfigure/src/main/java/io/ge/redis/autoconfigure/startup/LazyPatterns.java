/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure.startup;

import java.util.List;
import java.util.Map;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;

/**
 * Makes properties, and what is checked against them at startup, only for who uses them,
 * unless one of the properties is set: defaults are right, and need not be looked at.
 */
public class LazyPatterns implements BeanFactoryPostProcessor {

	private static final Map<String, List<String>> PREFIXES = Map.ofEntries(
			Map.entry("rateLimitPattern", List.of("ge.redis.rate-limit")),
			Map.entry("lockPattern", List.of("ge.redis.lock")),
			Map.entry("idempotencyPattern", List.of("ge.redis.idempotency")),
			Map.entry("cachePattern", List.of("ge.redis.cache")),
			Map.entry("blacklistPattern", List.of("ge.redis.blacklist")),
			Map.entry("geRedisRefreshTokens", List.of("ge.redis.refresh-tokens", "ge.redis.blacklist")),
			Map.entry("streamPattern", List.of("ge.redis.stream")),
			Map.entry("queuePattern", List.of("ge.redis.queue")),
			Map.entry("broadcastPattern", List.of("ge.redis.broadcast")),
			Map.entry("geRedisBloomFilters", List.of("ge.redis.bloom")));

	private final Environment environment;

	public LazyPatterns(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		// What is set then shows when the application runs
		if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			return;
		}
		for (String bean : beans.getBeanDefinitionNames()) {
			List<String> prefixes = prefixes(bean);
			if (!prefixes.isEmpty()) {
				// Also where an application is lazy: what it sets is checked at startup
				beans.getBeanDefinition(bean).setLazyInit(prefixes.stream().noneMatch(this::maySet));
			}
		}
	}

	// Spring Boot names beans of properties by prefix and class
	private static List<String> prefixes(String bean) {
		int end = bean.indexOf("-io.ge.redis.");
		return (end > 0) ? List.of(bean.substring(0, end)) : PREFIXES.getOrDefault(bean, List.of());
	}

	private boolean maySet(String prefix) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.containsDescendantOf(name) != ConfigurationPropertyState.ABSENT) {
				return true;
			}
		}
		return false;
	}

}
