/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.cache.spring.SpringCache;
import io.ge.redis.cache.spring.SpringCacheManager;
import io.micrometer.core.instrument.Tag;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.cache.metrics.CacheMetricsRegistrar;
import org.springframework.util.StringUtils;

/**
 * Gives caches their meters that are asked for after Spring Boot has looked, as those
 * that only annotations name.
 */
final class SpringCacheMetersRegistration implements SmartInitializingSingleton {

	private static final String SUFFIX = "cacheManager";

	private final ConfigurableListableBeanFactory beans;

	private final ObjectProvider<CacheMetricsRegistrar> registrar;

	SpringCacheMetersRegistration(ConfigurableListableBeanFactory beans,
			ObjectProvider<CacheMetricsRegistrar> registrar) {
		this.beans = beans;
		this.registrar = registrar;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.registrar.ifAvailable((registrar) -> this.beans.getBeansOfType(SpringCacheManager.class, false, false)
			.forEach((name, manager) -> {
				Tag tag = Tag.of("cache.manager", managerName(name));
				manager.onCache((cache) -> registrar.bindCacheToRegistry(cache, tag));
			}));
	}

	// As Spring Boot names it
	private static String managerName(String beanName) {
		return (beanName.length() > SUFFIX.length() && StringUtils.endsWithIgnoreCase(beanName, SUFFIX))
				? beanName.substring(0, beanName.length() - SUFFIX.length()) : beanName;
	}

}
