/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.cache.CacheGuard;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Puts our interceptor in the place of the one that Spring has configured for its cache
 * annotations. Before all other post-processors: the first bean that is proxied needs it.
 */
class CacheInterceptorPostProcessor implements BeanPostProcessor, PriorityOrdered {

	private static final Log logger = LogFactory.getLog(CacheInterceptorPostProcessor.class);

	private final ObjectProvider<CacheGuard> guard;

	private final ConfigurableListableBeanFactory beans;

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
		if (!(bean instanceof CacheInterceptor configured)) {
			return bean;
		}
		if (bean.getClass() != CacheInterceptor.class) {
			logger.warn("Bean '" + beanName + "' is a " + bean.getClass().getName() + " instead of Spring's own"
					+ " CacheInterceptor. For its methods our caches do as for calls in code: they must be told their"
					+ " types by ge.redis.cache.caches.<name>.type, and @CachePut and @CacheEvict announce nothing");
			return bean;
		}
		return this.guard.getObject().interceptor(configured, this.beans, ReactiveResults.watcher());
	}

}
