/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Looks once, when all beans exist, whether every annotated method is really guarded, and
 * fails the start if one is not: a guard that silently does nothing is worse than none.
 * Then prepares the guards that are in use, and only those.
 */
public final class GuardVerifier implements SmartInitializingSingleton {

	private static final String SCOPED_TARGET = "scopedTarget.";

	private final ConfigurableListableBeanFactory beanFactory;

	private final List<GuardAdvisor> advisors;

	private final GuardedMethods methods;

	private final Set<GuardAdvisor> used = new LinkedHashSet<>();

	public GuardVerifier(ConfigurableListableBeanFactory beanFactory, List<GuardAdvisor> advisors,
			GuardedMethods methods) {
		this.beanFactory = beanFactory;
		this.advisors = advisors;
		this.methods = methods;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<Candidate> candidates = candidates();
		// Connects while annotations are read
		this.used.forEach(GuardAdvisor::connect);
		candidates.forEach(this::verify);
		this.advisors.forEach(GuardAdvisor::verify);
		PatternLifecycle.patterns(this.beanFactory).forEach(GuardPattern::verify);
		this.used.forEach(GuardAdvisor::prepare);
	}

	private List<Candidate> candidates() {
		List<Candidate> candidates = new ArrayList<>();
		for (String beanName : this.beanFactory.getBeanDefinitionNames()) {
			Object bean = existingSingleton(beanName);
			// What a factory makes, as far as its type is known
			Object known = (bean instanceof FactoryBean) ? null : bean;
			Class<?> type = (known != null) ? AopProxyUtils.ultimateTargetClass(known)
					: this.beanFactory.getType(beanName, false);
			// A scoped proxy is not guarded itself: its target is
			if (type != null && !AopInfrastructureBean.class.isAssignableFrom(type)) {
				String name = beanName.startsWith(SCOPED_TARGET) ? beanName.substring(SCOPED_TARGET.length())
						: beanName;
				addCandidates(candidates, name, known, ClassUtils.getUserClass(type));
			}
		}
		return candidates;
	}

	private @Nullable Object existingSingleton(String beanName) {
		return this.beanFactory.containsSingleton(beanName) ? this.beanFactory.getSingleton(beanName) : null;
	}

	private void addCandidates(List<Candidate> candidates, String beanName, @Nullable Object bean, Class<?> type) {
		for (GuardAdvisor advisor : this.advisors) {
			if (advisor.isCandidate(type)) {
				Method[] methods = ReflectionUtils.getUniqueDeclaredMethods(type,
						ReflectionUtils.USER_DECLARED_METHODS);
				candidates.add(new Candidate(beanName, bean, type, methods, advisor));
				if (Arrays.stream(methods).anyMatch((method) -> advisor.isAnnotated(method, type))) {
					this.used.add(advisor);
				}
			}
		}
	}

	private void verify(Candidate candidate) {
		for (Method method : candidate.methods()) {
			try {
				GuardedOperation operation = candidate.advisor().source().get(method, candidate.type());
				if (operation != null) {
					GuardedMethod guarded = new GuardedMethod(method, candidate.type(),
							candidate.advisor().annotation());
					requireGuarded(guarded, candidate.bean(), candidate.advisor());
					operation.describe()
						.forEach((guard) -> this.methods
							.add(new GuardedMethods.Entry(candidate.beanName(), guarded.displayName(), guard)));
				}
			}
			catch (GuardConfigurationException ex) {
				throw ex.inBean(candidate.beanName());
			}
		}
	}

	private static void requireGuarded(GuardedMethod guarded, @Nullable Object bean, GuardAdvisor advisor) {
		Method method = guarded.method();
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			throw guarded.problem("private and static methods cannot be guarded.",
					"Make it a public method that is called through the bean.");
		}
		if (bean == null) {
			return;
		}
		if (!AopUtils.isAopProxy(bean) || !isAdvisedBy(bean, advisor)) {
			throw guarded.problem("the bean is no proxy, so the annotation would do nothing.",
					"Let Spring create the bean after the guards: it must not be a BeanPostProcessor or a "
							+ "dependency of one, its class must not be final, and it must be created by the container.");
		}
		if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(bean)) {
			throw guarded.problem("a final method cannot be guarded.", GuardAdvisor.remedy(method.getDeclaringClass()));
		}
		if (AopUtils.isJdkDynamicProxy(bean) && !isOnInterface(bean, method)) {
			throw guarded.problem(
					"the bean is proxied by its interfaces, and none of them declares this method, "
							+ "so nobody can call it through the proxy.",
					"Declare it in an interface, or set spring.aop.proxy-target-class=true.");
		}
	}

	private static boolean isAdvisedBy(Object bean, GuardAdvisor advisor) {
		for (Advisor candidate : ((Advised) bean).getAdvisors()) {
			if (candidate instanceof GuardAdvisor guard && guard.annotation() == advisor.annotation()) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOnInterface(Object bean, Method method) {
		return Arrays.stream(((Advised) bean).getProxiedInterfaces())
			.anyMatch((type) -> ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes()) != null);
	}

	private record Candidate(String beanName, @Nullable Object bean, Class<?> type, Method[] methods,
			GuardAdvisor advisor) {
	}

}
