/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import io.ge.redis.cache.CacheGuard;
import io.ge.redis.cache.SpringCacheManager;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.AbstractCacheInvoker;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Puts our interceptor in the place of the one that Spring has configured for its cache
 * annotations. Before all other post-processors: the first bean that is proxied needs it.
 * Of interceptors that it leaves alone, such as those of AspectJ and JCache, it warns.
 */
class CacheInterceptorPostProcessor implements BeanPostProcessor, PriorityOrdered, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(CacheInterceptorPostProcessor.class);

	private final ObjectProvider<CacheGuard> guard;

	private final ConfigurableListableBeanFactory beans;

	private final Map<String, Class<?>> others = new ConcurrentSkipListMap<>();

	CacheInterceptorPostProcessor(ObjectProvider<CacheGuard> guard, ConfigurableListableBeanFactory beans) {
		this.guard = guard;
		this.beans = beans;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean.getClass() == CacheInterceptor.class) {
			return this.guard.getObject()
				.interceptor((CacheInterceptor) bean, this.beans, ReactiveResultWatcher.watcher());
		}
		if (bean instanceof AbstractCacheInvoker) {
			this.others.put(beanName, bean.getClass());
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (isOursUsed()) {
			this.others.forEach(CacheInterceptorPostProcessor::warn);
		}
	}

	private boolean isOursUsed() {
		for (String name : this.beans.getBeanNamesForType(CacheManager.class, false, false)) {
			if (this.beans.getSingleton(name) instanceof SpringCacheManager) {
				return true;
			}
		}
		return false;
	}

	private static void warn(String beanName, Class<?> type) {
		logger.warn("Bean '" + beanName + "' is a " + type.getName() + " instead of Spring's own"
				+ " CacheInterceptor. For its methods our caches do as for calls in code: they must be told their"
				+ " types by ge.redis.cache.caches.<name>.type, what changes them announces nothing, and if a method"
				+ " that reads throws or its value is not put, others wait for it until ge.redis.cache.load-wait or"
				+ " ge.redis.cache.lease-time is over");
	}

}
