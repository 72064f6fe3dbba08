// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.cache.internal.behind.WriteBehind;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CachePutOperation;
import org.springframework.cache.interceptor.CacheResolver;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.cache.interceptor.SimpleCacheResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Inspects once, when all beans exist, the methods with Spring's annotations: a cache
 * that must not have its name, or must not be put into, fails the start, and those that
 * annotations name count as used. It only reads what Spring's own interceptor reads, and
 * calls do not depend on it. Caches that a resolver chooses are left to the call.
 */
record SpringCacheMethods(ConfigurableListableBeanFactory beans, CacheRegistry definitions, WriteBehind behind) {

	public void verify(CacheOperationSource source) {
		for (String beanName : this.beans.getBeanDefinitionNames()) {
			Class<?> type = type(beanName);
			if (type != null && !AopInfrastructureBean.class.isAssignableFrom(type) && source.isCandidateClass(type)) {
				try {
					verify(ClassUtils.getUserClass(type), source);
				}
				catch (GuardConfigurationException ex) {
					throw ex.inBean(beanName);
				}
			}
		}
	}

	private @Nullable Class<?> type(String beanName) {
		Object bean = this.beans.containsSingleton(beanName) ? this.beans.getSingleton(beanName) : null;
		return (bean == null || bean instanceof FactoryBean) ? this.beans.getType(beanName, false)
				: AopProxyUtils.ultimateTargetClass(bean);
	}

	private void verify(Class<?> type, CacheOperationSource source) {
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS)) {
			Collection<CacheOperation> operations = isCallable(method) ? source.getCacheOperations(method, type) : null;
			if (operations != null) {
				operations.stream()
					.filter(this::isOurs)
					.forEach((operation) -> verify(operation, new GuardedMethod(method, type, annotation(operation))));
			}
		}
	}

	private static boolean isCallable(Method method) {
		return !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
	}

	private static Class<? extends Annotation> annotation(CacheOperation operation) {
		if (operation instanceof CachePutOperation) {
			return CachePut.class;
		}
		return (operation instanceof CacheEvictOperation) ? CacheEvict.class : Cacheable.class;
	}

	private boolean isOurs(CacheOperation operation) {
		if (StringUtils.hasText(operation.getCacheResolver())) {
			return false;
		}
		try {
			return StringUtils.hasText(operation.getCacheManager())
					? this.beans.getBean(operation.getCacheManager(), CacheManager.class) instanceof SpringCacheManager
					: isDefaultOurs();
		}
		catch (BeansException ex) {
			// Spring reports the problem when the method is called
			return false;
		}
	}

	// As Spring's interceptor is configured, or will be
	private boolean isDefaultOurs() {
		CacheInterceptor interceptor = this.beans.getBeanProvider(CacheInterceptor.class).getIfUnique();
		CacheResolver resolver = (interceptor != null) ? interceptor.getCacheResolver() : null;
		if (resolver == null) {
			return this.beans.getBeanProvider(CacheManager.class).getIfUnique() instanceof SpringCacheManager;
		}
		return resolver instanceof SimpleCacheResolver simple && simple.getCacheManager() instanceof SpringCacheManager;
	}

	private void verify(CacheOperation operation, GuardedMethod place) {
		for (String cache : operation.getCacheNames()) {
			this.definitions.requireAllowed(cache, place::problem);
			this.definitions.named(cache, operation instanceof CacheableOperation);
			if (operation instanceof CachePutOperation && this.behind.isBehind(cache)) {
				throw place.problem(
						"cache '" + cache + "' is written behind, and older changes that wait would overwrite what this"
								+ " method puts.",
						"Use @CacheWriteBehind or GeCaches.writeBehind.");
			}
		}
	}

}
