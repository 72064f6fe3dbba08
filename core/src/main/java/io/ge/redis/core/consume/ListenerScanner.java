/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.OperationSource;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the listener methods of an application, once, when all beans exist. A bean that
 * is lazy is made for it: a listener that nobody calls would never be made otherwise.
 */
public record ListenerScanner(ConfigurableListableBeanFactory beans) {

	/**
	 * Finds annotated methods.
	 * @param found gets each bean and method
	 * @throws GuardConfigurationException as thrown by {@code found}, with the bean
	 */
	public <A extends Annotation> void scan(Class<A> annotation, Found<A> found) {
		for (String name : this.beans.getBeanDefinitionNames()) {
			// The target of a scoped proxy is another bean of the same class
			Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : type(name);
			if (type == null || !OperationSource.mayContain(type, annotation)) {
				continue;
			}
			Map<Method, A> methods = MethodIntrospector.selectMethods(type,
					(MethodIntrospector.MetadataLookup<A>) (method) -> AnnotatedElementUtils
						.findMergedAnnotation(method, annotation));
			methods.forEach((method, attributes) -> {
				try {
					GuardedMethod listener = new GuardedMethod(method, type, annotation);
					requireCallable(listener);
					found.accept(this.beans.getBean(name), listener, attributes);
				}
				catch (GuardConfigurationException ex) {
					throw ex.inBean(name);
				}
			});
		}
	}

	private @Nullable Class<?> type(String name) {
		Object bean = this.beans.containsSingleton(name) ? this.beans.getSingleton(name) : null;
		Class<?> type = (bean == null || bean instanceof FactoryBean) ? this.beans.getType(name, false)
				: AopProxyUtils.ultimateTargetClass(bean);
		// The proxy of a scope is infrastructure, and its target is not
		Class<?> userClass = (type != null) ? ClassUtils.getUserClass(type) : null;
		return (userClass == null || AopInfrastructureBean.class.isAssignableFrom(userClass)) ? null : userClass;
	}

	private static void requireCallable(GuardedMethod method) {
		if (Modifier.isPrivate(method.method().getModifiers()) || Modifier.isStatic(method.method().getModifiers())) {
			throw method.problem("private and static methods cannot listen.", "Make it a public method of the bean.");
		}
	}

	/**
	 * Takes a listener that was found.
	 */
	@FunctionalInterface
	public interface Found<A extends Annotation> {

		/**
		 * Called for each.
		 * @param bean the bean, a proxy if it is advised
		 */
		void accept(Object bean, GuardedMethod method, A attributes);

	}

}
