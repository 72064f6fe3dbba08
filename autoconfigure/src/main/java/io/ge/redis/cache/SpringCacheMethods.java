/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CachePutOperation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks once, when all beans exist, at the methods with Spring's annotations: what cannot
 * work fails the start, and caches get to know the types of their values. Caches that
 * only the call decides on are left to it. If there is any such method, what calls need
 * is prepared.
 */
final class SpringCacheMethods {

	private final ConfigurableListableBeanFactory beans;

	private final CacheDefinitions definitions;

	private final CacheCodec codec;

	private final SpringTypes types;

	private final WriteBehind behind;

	private final Supplier<?> engine;

	private boolean used;

	SpringCacheMethods(ConfigurableListableBeanFactory beans, CacheDefinitions definitions, CacheCodec codec,
			SpringTypes types, WriteBehind behind, Supplier<?> engine) {
		this.beans = beans;
		this.definitions = definitions;
		this.codec = codec;
		this.types = types;
		this.behind = behind;
		this.engine = engine;
	}

	/**
	 * Looks at all methods.
	 * @param source knows the operations of each
	 * @param ours tells operations whose caches are ours by their names
	 * @throws GuardConfigurationException if one cannot work
	 */
	void verify(CacheOperationSource source, Predicate<CacheOperation> ours) {
		// Before anybody else has, where beans are initialised lazily
		this.definitions.declareConfiguredTypes(this.codec);
		for (String beanName : this.beans.getBeanDefinitionNames()) {
			Class<?> type = type(beanName);
			if (type != null && !AopInfrastructureBean.class.isAssignableFrom(type) && source.isCandidateClass(type)) {
				try {
					verify(ClassUtils.getUserClass(type), source, ours);
				}
				catch (GuardConfigurationException ex) {
					throw ex.inBean(beanName);
				}
			}
		}
		if (this.used) {
			Objects.requireNonNull(this.engine.get());
		}
	}

	private @Nullable Class<?> type(String beanName) {
		Object bean = this.beans.containsSingleton(beanName) ? this.beans.getSingleton(beanName) : null;
		return (bean == null || bean instanceof FactoryBean) ? this.beans.getType(beanName, false)
				: AopProxyUtils.ultimateTargetClass(bean);
	}

	private void verify(Class<?> type, CacheOperationSource source, Predicate<CacheOperation> ours) {
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type, ReflectionUtils.USER_DECLARED_METHODS)) {
			Collection<CacheOperation> operations = isCallable(method) ? source.getCacheOperations(method, type) : null;
			if (operations != null) {
				operations.stream()
					.filter(ours)
					.forEach((operation) -> verify(operation, SpringTypes.place(operation, method, type)));
			}
		}
	}

	private static boolean isCallable(Method method) {
		return !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
	}

	private void verify(CacheOperation operation, GuardedMethod place) {
		this.used = true;
		for (String cache : operation.getCacheNames()) {
			this.definitions.requireAllowed(cache, place::problem);
			if (operation instanceof CacheEvictOperation) {
				continue;
			}
			this.types.value(cache, place, place.targetClass());
			if (operation instanceof CachePutOperation && this.behind.isBehind(cache)) {
				throw place.problem(
						"cache '" + cache + "' is written behind, and older changes that wait would overwrite what this"
								+ " method puts.",
						"Use @CacheWriteBehind or GeCaches.writeBehind.");
			}
		}
	}

}
